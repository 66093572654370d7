"""Pages that need no kernel: the files beside them, a server for what is not stored, talks, polls; films."""

"""Start one student's server, as that student: her own notebooks, her memory limit, then JupyterLab.

    python start_server.py NOTEBOOKS [OPTION ...]

NOTEBOOKS is the folder that is handed out, the options are those of `jupyterhub-singleuser`. The hub says the
limit in MEM_LIMIT, in bytes. A notebook that she has is never written over; one that she deletes comes back
fresh at the next start.
"""

import os
import resource
import shutil
import sys
from pathlib import Path

handed_out, *options = sys.argv[1:]
for notebook in Path(handed_out).glob("**/[!.]*.ipynb"):
    hers = Path.home() / "notebooks" / notebook.relative_to(handed_out)
    if ".ipynb_checkpoints" not in notebook.parts and not hers.exists():
        hers.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(notebook, hers.with_suffix(".part"))
        hers.with_suffix(".part").rename(hers)  # so that a start that is cut off leaves no half notebook

# Kernels inherit it, and only root can raise it again. A cell that asks for more ends with a MemoryError.
limit = int(os.environ["MEM_LIMIT"])
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
os.execv(sys.executable, [sys.executable, "-m", "jupyterhub.singleuser", *options])

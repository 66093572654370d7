"""The live panels of the notebooks, one module each."""

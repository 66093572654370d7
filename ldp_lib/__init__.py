"""What privacy costs in statistics: theorems on private classification and density estimation, executed.

Six rooms, in the order in which data flows; each imports only from earlier ones.

====================== ======================================================
`ldp_lib.nature`       what people's data look like: problems, surveys
`ldp_lib.privacy`      what leaves a person's hands: noise, mechanisms
`ldp_lib.estimation`   what the analyst computes: classifiers, densities
`ldp_lib.risk`         how far that is from the best: exact, simulated
`ldp_lib.theory`       what the theorems promise: rates, ledgers, errata
`ldp_lib.live`         what the lecturer moves: panels for the notebooks
====================== ======================================================

Only `ldp_lib.live` needs matplotlib and ipywidgets.  The sample size is always
the number of people in all, alpha is in nats, and `rng` (a
`numpy.random.Generator` or an int) is the only source of randomness.
`python -m ldp_lib.check` says in plain words what is wrong with a set-up, and
`ldp_lib.server` lets JupyterLab show the frames of a panel without delay.
"""

__version__ = "0.1.0"

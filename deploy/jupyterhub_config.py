"""JupyterHub for a class on one machine with Linux; README.md beside this file says how to start it.

It reads three variables of the environment:

LDP_HUB_LOGIN      who may come in, "accounts" or "password"; without it the hub does not start
LDP_HUB_PASSWORD   for "password": the word that all share, at least 8 characters
LDP_HUB_NOTEBOOKS  the folder of notebooks that is handed out, by default the one of this repository

Options of the command line win over this file, for example `--Spawner.mem_limit=2G`.
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821 (JupyterHub provides it)
here = Path(__file__).resolve().parent

# Nobody outside of this machine reaches the hub until its address is said: see README.md.
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
# Names become folders.
c.Authenticator.username_pattern = r"[a-z][a-z0-9_-]{0,31}"

# start_server.py enforces the limit by RLIMIT_DATA, on the server and on each kernel of its own: a student
# with three open notebooks has four such processes. The kernel counts what is asked for, not what is used.
# A limit for all of a student's processes together needs systemd: `--JupyterHub.spawner_class=systemd`.
c.Spawner.mem_limit = "1G"
c.Spawner.cmd = [sys.executable, str(here / "start_server.py"),
                 os.environ.get("LDP_HUB_NOTEBOOKS", str(here.parent / "notebooks"))]
c.Spawner.notebook_dir = "~/notebooks"
c.Spawner.default_url = "/lab/tree/00_start_here.ipynb"
c.Spawner.args = [
    "--ServerApp.jpserver_extensions=ldp_lib.server=True",  # as `make lab` has it
    "--MappingKernelManager.cull_idle_timeout=3600",  # kernels of notebooks that were closed an hour ago
]
# Many students share few cores, and threads of a linear algebra library that wait cost memory.
c.Spawner.environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
c.Spawner.http_timeout = 120  # seconds until a server answers, for a class that comes in at once

# Servers that nobody used for an hour are stopped; notebooks stay.
c.JupyterHub.services = [{
    "name": "idle-culler",
    "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"],
}]
c.JupyterHub.load_roles = [{
    "name": "idle-culler",
    "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
    "services": ["idle-culler"],
}]

match os.environ.get("LDP_HUB_LOGIN"):
    case "accounts":
        # For a class: every student of the Unix group has an account and a password on this machine, and her
        # server runs under it. The hub must be started by root.
        c.JupyterHub.authenticator_class = "pam"
        c.LocalAuthenticator.allowed_groups = {"students"}
        c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
        # Any account can read a kernel's output from its port, but not from a socket in a home folder.
        c.Spawner.args.append("--KernelManager.transport=ipc")
    case "password":
        # For a trial: whoever knows the word is anybody, and all servers run as one system user, who can
        # read and write everybody's files.
        c.JupyterHub.authenticator_class = "shared-password"
        c.SharedPasswordAuthenticator.user_password = os.environ.get("LDP_HUB_PASSWORD", "")
        if not c.SharedPasswordAuthenticator.user_password:
            raise ValueError("LDP_HUB_PASSWORD is not set; choose a word of at least 8 characters")
        c.Authenticator.allow_all = True
        c.JupyterHub.spawner_class = "jupyterhub.spawner.SimpleLocalProcessSpawner"
        c.SimpleLocalProcessSpawner.home_dir_template = str(Path.cwd() / "students" / "{username}")
    case other:
        raise ValueError(f'LDP_HUB_LOGIN is {other!r}; choose "accounts" for a class, "password" for a trial')

"""A class on one machine: JupyterHub as `deploy/` configures it, and students who work side by side.

The students are simulated: each comes in over HTTP and a websocket, as a browser does. All share a password
and run as the system user of this test (JupyterHub's SimpleLocalProcessSpawner): what accounts of the machine
keep apart, files and processes, is not shown here. Two students, or ten with LDP_FULL=1; -s prints what each
of them uses.
"""

from extent import all_rows
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import nbformat
import pytest
import requests
import websocket
from jupyter_client.session import Session
from jupyter_server.services.kernels.connection.base import deserialize_binary_message

pytestmark = pytest.mark.ci

CLASS = [f"student{number}" for number in range(10 if all_rows() else 2)]
PASSWORD = secrets.token_hex()
FIRST, SECOND = "00_start_here.ipynb", "02_universal_consistency.ipynb"
SECONDS = 120  # a longest wait; where everything holds, nobody waits for it
LIMIT_AND_PROCESSES = """
import os, resource
print(resource.getrlimit(resource.RLIMIT_DATA)[1], os.getppid(), os.getpid())
"""


def environment(repository, **login):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("LDP_HUB", "JUPYTER"))}
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return kept | {"PATH": programs, "PYTHONPATH": str(repository)} | login


def megabytes(process):
    """Return what a process has in memory, that with shared pages divided, and what the limit counts."""
    text = "".join(Path(f"/proc/{process}/{file}").read_text() for file in ("status", "smaps_rollup"))
    sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB$", text, re.MULTILINE))
    return [round(int(sizes[name]) * 1024 / 1e6) for name in ("VmRSS", "Pss", "VmData")]


class Student(ExitStack):
    """One who logs in, in a browser of her own, and then starts her server."""

    def __init__(self, hub, name):
        super().__init__()
        self.name, self.pages = name, f"{hub}/hub"
        self.hub, self.server = f"{hub}/hub/api/users/{name}", f"{hub}/user/{name}"
        self.session = Session()
        self.browser, self.api = (self.enter_context(requests.Session()) for _ in range(2))
        self.browser.trust_env = self.api.trust_env = False

    def log_in(self, password=PASSWORD):
        self.post_from("login", f"{self.pages}/login", data={"username": self.name, "password": password})
        token = self.post_from("token", f"{self.hub}/tokens", json={}).json()["token"]
        self.api.headers["Authorization"] = f"token {token}"

    def post_from(self, page, address, **more):
        self.browser.get(f"{self.pages}/{page}", timeout=SECONDS)
        query = {"_xsrf": self.browser.cookies.get("_xsrf", path="/hub/")}
        answer = self.browser.post(address, params=query, timeout=SECONDS, allow_redirects=False, **more)
        answer.raise_for_status()
        return answer

    def ask(self, method, address, **more):
        answer = self.api.request(method, address, timeout=SECONDS, **more)
        answer.raise_for_status()
        return answer

    def start(self):
        """Start her server, open what she is shown, and a kernel for the notebook."""
        self.ask("POST", f"{self.hub}/server")
        with self.ask("GET", f"{self.hub}/server/progress", stream=True) as progress:
            events = [json.loads(line[6:]) for line in progress.iter_lines() if line.startswith(b"data: ")]
        assert events[-1].get("ready"), events
        page = self.browser.get(f"{self.server}/", timeout=SECONDS)
        assert page.url == f"{self.server}/lab/tree/{FIRST}" and "JupyterLab" in page.text
        body = {"path": SECOND, "name": SECOND, "type": "notebook", "kernel": {"name": "python3"}}
        self.kernel = self.ask("POST", f"{self.server}/api/sessions", json=body).json()["kernel"]["id"]
        self.connect()

    def connect(self):
        channels = f"{self.server}/api/kernels/{self.kernel}/channels".replace("http", "ws", 1)
        self.socket = self.enter_context(
            closing(websocket.create_connection(channels, SECONDS, header=dict(self.api.headers))))

    def run(self, code):
        """Return what a cell prints, with the names of its errors."""
        request = self.session.msg("execute_request", {"code": code, "silent": False})
        self.socket.send(json.dumps(request | {"channel": "shell"}, default=str))
        printed = ""
        while True:
            frame = self.socket.recv()
            message = json.loads(frame) if isinstance(frame, str) else deserialize_binary_message(frame)
            if message["parent_header"].get("msg_id") == request["msg_id"]:
                match message["msg_type"], message["content"]:
                    case "stream", {"text": text}:
                        printed += text
                    case "error", {"ename": name}:
                        printed += name
                    case "status", {"execution_state": "idle"}:
                        return printed

    def run_notebook(self):
        """Run all cells of her copy; each must print what is printed in the repository's."""
        for cell in self.notebook(SECOND).cells:
            if cell.cell_type == "code":
                kept = "".join(output.text for output in cell.outputs if output.output_type == "stream")
                assert self.run(cell.source) == kept, cell.source

    def notebook(self, name):
        content = self.ask("GET", f"{self.server}/api/contents/{name}").json()["content"]
        return nbformat.from_dict(content)

    def restart_kernel(self):
        self.ask("POST", f"{self.server}/api/kernels/{self.kernel}/restart")
        self.connect()

    def leave(self):
        """Write a line into one notebook, delete another, and stop her server."""
        notebook = self.notebook(SECOND)
        notebook.cells.append(nbformat.v4.new_markdown_cell(f"What {self.name} thinks of it."))
        body = {"type": "notebook", "format": "json", "content": notebook}
        self.ask("PUT", f"{self.server}/api/contents/{SECOND}", json=body)
        self.ask("DELETE", f"{self.server}/api/contents/{FIRST}")
        self.ask("DELETE", f"{self.hub}/server")
        self.wait_until_stopped()

    def wait_until_stopped(self):
        """A server that takes long to stop is stopped later, and until then the hub refuses to start it."""
        deadline = time.monotonic() + SECONDS
        while self.ask("GET", self.hub).json()["pending"] == "stop":
            assert time.monotonic() < deadline, f"the server of {self.name} does not stop"
            time.sleep(0.1)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Return the file that holds what the hub and all servers say."""
    return tmp_path_factory.mktemp("hub") / "hub.log"


@pytest.fixture(scope="module")
def hub(repository, log):
    """Run a hub that only this machine can reach, in a folder of its own; return its address."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]
        public, internal, routes = (probe.getsockname()[1] for probe in probes)
    more = 'c.Spawner.args = [*c.Spawner.args, "--allow-root"]' if os.getuid() == 0 else ""
    config = log.with_name("config.py")
    config.write_text(f'load_subconfig("{repository / "deploy" / "jupyterhub_config.py"}")\n{more}\n')
    command = [sys.executable, "-m", "jupyterhub", "-f", config, f"--JupyterHub.hub_port={internal}",
               f"--JupyterHub.bind_url=http://127.0.0.1:{public}",
               f"--ConfigurableHTTPProxy.api_url=http://127.0.0.1:{routes}"]
    variables = environment(repository, LDP_HUB_LOGIN="password", LDP_HUB_PASSWORD=PASSWORD)
    with log.open("w") as writer:
        process = subprocess.Popen(command, cwd=log.parent, env=variables, stdout=writer, stderr=writer)
    try:
        deadline = time.monotonic() + SECONDS
        while "is now running at" not in log.read_text():
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield f"http://127.0.0.1:{public}"
        assert process.poll() is None, log.read_text()
    finally:
        process.terminate()  # the hub stops its proxy and all servers
        assert process.wait(SECONDS) == 0, log.read_text()


@pytest.mark.parametrize("login", [{}, {"LDP_HUB_LOGIN": "password"}])
def test_without_a_choice_who_may_come_in_it_does_not_start(repository, tmp_path, login):
    command = [sys.executable, "-m", "jupyterhub", "-f", repository / "deploy" / "jupyterhub_config.py"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(repository, **login), timeout=SECONDS,
                         capture_output=True, text=True)
    assert ran.returncode != 0 and re.search(r"ValueError: LDP_HUB_\w+ is .*choose", ran.stderr), ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_nobody_comes_in_without_the_password(hub):
    with Student(hub, "stranger") as stranger, pytest.raises(requests.HTTPError, match="403"):
        stranger.log_in("not the password")


def test_a_class_works_side_by_side(hub, log):
    # The threads end before what they use is closed.
    with ExitStack() as stack, ThreadPoolExecutor(len(CLASS)) as pool:
        def each(step):
            return list(pool.map(step, students))

        students = [stack.enter_context(Student(hub, name)) for name in CLASS]
        each(Student.log_in)
        each(Student.start)
        with pytest.raises(requests.HTTPError, match="403"):
            students[0].ask("GET", f"{students[1].server}/api/contents")
        each(Student.run_notebook)
        said = each(lambda student: student.run(LIMIT_AND_PROCESSES))
        limits, servers, kernels = zip(*(map(int, line.split()) for line in said))
        used = [(megabytes(server), megabytes(kernel)) for server, kernel in zip(servers, kernels)]
        each(Student.restart_kernel)
        assert each(lambda student: student.run("survey")) == ["NameError"] * len(CLASS)
        each(Student.run_notebook)

        [limit] = set(limits)
        assert students[0].run(f"more = bytearray({limit})") == "MemoryError"
        code = f"print(survey.name, len(bytearray({limit // 4})))"
        assert each(lambda student: student.run(code)) == [f"cps {limit // 4}\n"] * len(CLASS)

        each(Student.leave)
        each(Student.start)
        for student in students:
            assert student.notebook(SECOND).cells[-1].source == f"What {student.name} thinks of it."
            assert student.notebook(FIRST).cells
            assert student.run("print(1 + 1)") == "2\n"

    said = log.read_text()
    assert said.count("ldp_lib.server | extension was successfully loaded") == 2 * len(CLASS)
    # The culler asked who is idle, and was told.
    assert "200 GET /hub/api/users?state=[secret] (idle-culler@127.0.0.1)" in said
    print(f"\nLimit of a process: {limit / 1e6:,.0f} MB.  After notebook 02, in MB:\n\t\tRSS\tPSS\tdata")
    for name, processes in zip(CLASS, used):
        for process, sizes in zip(("server", "kernel"), processes):
            print(name, process, *sizes, sep="\t")

"""The server's extension: our own commands switch it on, and every kernel's messages leave at once.

That nothing else does is tested with the wheel, in an environment of its own.
"""

import re
import subprocess
import sys
from unittest.mock import Mock, call

import pytest
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler

from ldp_lib.server import PromptWebsocket

START = """
from jupyter_server.serverapp import ServerApp
app = ServerApp()
app.initialize(["--no-browser", "--allow-root", "--port=0", *{arguments!r}])
chosen = app.web_app.settings["kernel_websocket_connection_class"]
assert chosen is app.kernel_websocket_connection_class
print("connection:", chosen.__name__)
"""


def option(repository, command):
    """Return the option with which the Makefile starts `command`."""
    found, = re.findall(f"/{command} (--[^ ]+)", (repository / "Makefile").read_text(encoding="utf-8"))
    return found


@pytest.mark.share(2)
@pytest.mark.parametrize("more, chosen", [
    ((), "PromptWebsocket"),
    (("--GatewayClient.url=http://127.0.0.1:1",), "GatewayWebSocketConnection"),
])
def test_the_server_of_make_lab(repository, tmp_path, monkeypatch, more, chosen):
    """With kernels of its own, and where kernels live behind a gateway."""
    arguments = (option(repository, "jupyter lab"), *more)
    for variable in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(variable, str(tmp_path))
    ran = subprocess.run([sys.executable, "-c", START.format(arguments=arguments)], cwd=tmp_path,
                         capture_output=True, text=True)
    assert f"connection: {chosen}\n" in ran.stdout, ran.stderr


def test_the_socket_is_told_before_messages_pass(monkeypatch):
    handler = Mock(spec=KernelWebsocketHandler)
    monkeypatch.setattr(ZMQChannelsWebsocketConnection, "connect",
                        lambda self: handler.set_nodelay.call_args_list.copy())
    assert PromptWebsocket(websocket_handler=handler).connect() == [call(True)]

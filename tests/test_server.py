"""The server's extension: enabled by the installation, and every kernel's messages leave at once."""

import re
import subprocess
import sys
from unittest.mock import Mock, call

import pytest
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from voila.app import Voila

from ldp_lib.server import PromptWebsocket

START = """
from jupyter_server.serverapp import ServerApp
app = ServerApp()
app.initialize(["--no-browser", "--allow-root", "--port=0", *{arguments!r}])
chosen = app.web_app.settings["kernel_websocket_connection_class"]
assert chosen is app.kernel_websocket_connection_class
print("connection:", chosen.__name__)
"""


@pytest.mark.parametrize("arguments, chosen", [
    ((), "PromptWebsocket"),
    (("--ServerApp.jpserver_extensions={'ldp_lib.server': False}",), "ZMQChannelsWebsocketConnection"),
    (("--GatewayClient.url=http://127.0.0.1:1",), "GatewayWebSocketConnection"),
])
def test_a_server_of_this_environment(tmp_path, monkeypatch, arguments, chosen):
    """With the extension, without it, and where kernels live behind a gateway."""
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


def test_voila_takes_the_same_connection(repository):
    """By the option of `make app`, read as Voilà reads it."""
    option, = re.findall("/voila (--[^ ]+)", (repository / "Makefile").read_text())
    app = Voila()
    app.parse_command_line([option])
    assert app.kernel_websocket_connection_class is PromptWebsocket

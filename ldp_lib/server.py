"""An extension of Jupyter Server, and so of JupyterLab, that hands a kernel's messages on at once.

The server leaves TCP's default on: a small packet waits until the one before it has been acknowledged, and
browsers put that off for up to 40 ms (Nagle's algorithm, RFC 896, against delayed acknowledgement, RFC 1122).
A frame of a live panel always follows another message, "the kernel is busy", and used to spend half of its
way waiting there.

Installing this package changes no server.  `make lab` switches the extension on for the server that it
starts; `jupyter server extension enable ldp_lib.server` does so for good, `disable` undoes it.
"""

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptWebsocket(ZMQChannelsWebsocketConnection):
    """Jupyter's connection from kernel to browser, over a socket that waits for nothing."""

    def connect(self):
        """Begin to pass messages on."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()


def _jupyter_server_extension_points():
    return [{"module": "ldp_lib.server"}]


def _load_jupyter_server_extension(app):
    # Whoever has chosen another connection, a gateway for example, keeps it.
    if app.kernel_websocket_connection_class is ZMQChannelsWebsocketConnection:
        app.kernel_websocket_connection_class = PromptWebsocket
        app.web_app.settings["kernel_websocket_connection_class"] = PromptWebsocket

"""What servers of the collection do about rude clients, by `Doors`, and tell browsers, by `Guarded`.

It needs Tornado, which comes with `pip install ldp-lib[pages]`.
"""

import resource
from collections import Counter

import tornado.httpserver
import tornado.web

PATIENCE = 20
"""Seconds for the head of a request, for its body, and between two requests."""
MOST_CONNECTIONS, OWN_FILES = 1000, 64
"""Connections of a process; files that it opens beside them."""


class Guarded(tornado.web.RequestHandler):
    """What answers nothing that a browser could take for something else, or tell others about."""

    headers = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
    """Of every answer, refusals too."""

    def set_default_headers(self):
        """Tornado's: called before each answer."""
        for name, value in self.headers.items():
            self.set_header(name, value)


class Doors(tornado.httpserver.HTTPServer):
    """An HTTP server that is always open to one more.

    Beyond `most` connections, the network address that has most of them loses its oldest. An honest request
    takes milliseconds, so what is lost are those that hold the door: half a head, half a body, or nothing.

    most : connections at once; fewer where the system lends the process fewer files.  All other arguments are
    Tornado's.
    """

    def initialize(self, *arguments, most=MOST_CONNECTIONS, **options):
        """Tornado's, which calls no `__init__`."""
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        files = most + OWN_FILES if hard == resource.RLIM_INFINITY else hard
        self.most, self.guests = max(1, min(most, files - OWN_FILES)), {}
        super().initialize(*arguments, idle_connection_timeout=PATIENCE, body_timeout=PATIENCE, **options)

    def handle_stream(self, stream, address):
        """Let a connection in, and whoever has been in for too long out."""
        if len(self.guests) >= self.most:
            self.guests = {guest: place for guest, place in self.guests.items() if not guest.closed()}
        if len(self.guests) >= self.most:
            crowded, _ = Counter(self.guests.values()).most_common(1)[0]
            oldest = next(guest for guest, place in self.guests.items() if place == crowded)
            del self.guests[oldest]
            oldest.close()
        self.guests[stream] = address[0]
        super().handle_stream(stream, address)

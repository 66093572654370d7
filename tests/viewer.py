"""What a browser makes of a panel's messages, without a browser and without the code that packs them."""

import io
import struct
import zlib

import numpy as np
from PIL import Image


def decoded(png):
    """Pixels (height, width, 3) of a PNG file, by Pillow."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def shown(picture, message):
    """The picture that is seen after `message` over `picture`, read as `frames.pack_patch` documents it."""
    if message[:4] != b"TILE":
        return decoded(message)
    count, = struct.unpack_from("<H", message, 4)
    content, picture = zlib.decompress(message[6 + 8 * count:]), picture.copy()
    for place in range(count):
        x, y, width, height = struct.unpack_from("<4H", message, 6 + 8 * place)
        part, content = content[:4 * width * height], content[4 * width * height:]
        pixels = np.frombuffer(part, np.uint8).reshape(height, width, 4)
        assert (pixels[..., 3] == 255).all(), "a panel's pictures are opaque"
        picture[y:y + height, x:x + width] = pixels[..., :3]
    assert content == b"", "every pixel has its place"
    return picture


class Viewer:
    """A view of a panel, opened at its first, whole frame: `picture` is what it shows."""

    def __init__(self, panel):
        self._screen = panel._screen
        self.picture = decoded(self._screen.frame)
        self._screen.observe(self._show, "number")

    def _show(self, change):
        assert change.new == change.old + 1
        self.picture = shown(self.picture, self._screen.frame)

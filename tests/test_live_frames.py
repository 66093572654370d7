"""Frames on their way to the browser: the viewer sees every picture as it was drawn."""

import struct
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_lib.live import frames
from ldp_lib.live.frames import TILE, FrameStream, changed_tiles, pack_png

from viewer import decoded, shown


def opaque(shape, rng):
    pixels = rng.integers(0, 256, (*shape, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    return pixels


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (5, 1), (33, 21), (420, 1000)])
@pytest.mark.parametrize("level", [1, 9])
def test_png_round_trip(shape, level):
    pixels = np.random.default_rng(0).integers(0, 256, (*shape, 4), dtype=np.uint8)
    np.testing.assert_array_equal(decoded(pack_png(pixels, level)), pixels[:, :, :3])


@settings(deadline=None, max_examples=60)
@given(height=st.integers(1, 150), width=st.integers(1, 150), seed=st.integers(0, 2**32),
       boxes=st.lists(st.tuples(*[st.floats(0, 1)] * 4), max_size=8))
def test_every_picture_arrives(height, width, seed, boxes):
    rng = np.random.default_rng(seed)
    pixels, stream = opaque((height, width), rng), FrameStream()
    seen = shown(None, stream.pack(pixels))
    for number, (y, y2, x, x2) in enumerate(boxes, 2):
        rows, columns = (slice(*sorted((int(a * length), int(b * length))))
                         for a, b, length in ((y, y2, height), (x, x2, width)))
        pixels[rows, columns] = opaque(pixels[rows, columns].shape[:2], rng)
        message = stream.pack(pixels)
        seen = shown(seen, message)
        np.testing.assert_array_equal(seen, pixels[..., :3])
        np.testing.assert_array_equal(shown(seen, message), seen, "a message may be shown twice")
        assert stream.number == number


def test_one_pixel_costs_one_tile():
    pixels, stream = opaque((420, 1000), np.random.default_rng(1)), FrameStream()
    whole = stream.pack(pixels)
    pixels[419, 999, 0] ^= 1
    patch = stream.pack(pixels)
    assert patch[:4] == b"TILE" and struct.unpack_from("<5H", patch, 4) == (1, 992, 416, 8, 4)
    assert len(patch) < 4 * TILE**2 < len(whole) / 100
    assert struct.unpack_from("<H", stream.pack(pixels), 4) == (0,), "nothing changed"


def test_neighbours_travel_as_one_rectangle():
    pixels = np.zeros((100, 200, 4), np.uint8)
    stream = FrameStream()
    stream.pack(pixels)
    pixels[40:50, 30:100] = 255
    assert struct.unpack_from("<5H", stream.pack(pixels), 4) == (1, 0, 32, 128, 32)


def test_changed_tiles_against_a_loop():
    rng = np.random.default_rng(2)
    before = rng.integers(0, 9, (70, 100), dtype=np.uint32)
    after = np.where(rng.random(before.shape) < 1e-3, before + 1, before)
    slow = [[(before[y:y + TILE, x:x + TILE] != after[y:y + TILE, x:x + TILE]).any()
             for x in range(0, 100, TILE)] for y in range(0, 70, TILE)]
    assert 0 < np.mean(slow) < 1
    np.testing.assert_array_equal(changed_tiles(before, after), slow)


def test_another_size_or_a_question_brings_the_whole():
    rng, stream = np.random.default_rng(3), FrameStream()
    stream.pack(opaque((40, 40), rng))
    larger = opaque((60, 80), rng)
    for message in (stream.pack(larger), stream.whole()):
        np.testing.assert_array_equal(decoded(message), larger[..., :3])
    assert stream.number == 3


def test_a_patch_does_not_follow_a_picture_that_was_never_packed(monkeypatch):
    """Whoever has seen number k takes the patch k + 1: it must be over the picture k."""
    rng, stream = np.random.default_rng(4), FrameStream()
    pixels = opaque((100, 100), rng)
    stream.pack(pixels)
    seen = stream.number
    for name in ("changed_tiles", "pack_patch"):
        with monkeypatch.context() as patched:
            patched.setattr(frames, name, Mock(side_effect=MemoryError))
            pixels[:9, :9] = opaque((9, 9), rng)
            with pytest.raises(MemoryError):
                stream.pack(pixels)
        pixels[50:60, 50:60] = opaque((10, 10), rng)
        assert stream.pack(pixels)[:4] == b"TILE" and stream.number != seen + 1
        np.testing.assert_array_equal(decoded(stream.whole()), pixels[..., :3])
        seen = stream.number

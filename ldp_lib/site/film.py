"""A scene as a film, for slides, papers and messages: it asks, is answered, plays and glides as in a browser.

    python -m ldp_lib.site.film "consistency?scene=more+people" more_people.gif

writes `more_people.gif`, and beside it its last frame, `more_people.png`, for readers who want things to keep
still: a page shows one of them by `<picture>`. The pictures are those of the browser, drawn by matplotlib.
"""

import argparse
import functools
import math
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from tqdm.auto import tqdm

from ldp_lib.live import panel
from ldp_lib.stage.control import address
from ldp_lib.stage.figure import render
from ldp_lib.stage.picture import between, handless
from ldp_lib.stage.scene import Scene
from ldp_lib.stage.theme import FAINT, INK, PAPER, QUIET, ROLES
from ldp_lib.stage.widget import LivePanel

GLIDE, PLAY, SEEN_FOR = 0.5, 1.1, 2.5
"""Seconds from picture to picture, of a step of play, and from an answer to the play that follows it, as in
`ldp_lib/stage/browser/story.js`."""
PRESSED, LAST = 0.8, 4.0
"""Seconds in which an answer is seen to be chosen, and in which the end is seen."""
WORDS = 4
"""Words that are read in a second."""
STEP, REST = 0.05, 0.2
"""Seconds of a frame while things move, and while only the bar below them does."""

WIDTH, HEIGHT, EDGE, ROW = 1280, 720, 20, 38
"""Pixels of a frame, its margin, and its rows below the picture."""
LETTER, SENTENCE, LARGEST = 18, 24, 44
"""Pixels of letters: in the picture and the rows, of what is said, of the first number."""
DPI = 72 * LETTER / 10
"""Of a picture, whose letters have 10 points."""
COLOURS = 64


class Moment(NamedTuple):
    """What is seen for some `seconds`: where controls stand, what is said, which answer is `pressed`."""

    values: dict[str, object]
    says: str
    seconds: float
    asks: bool = False
    pressed: str | None = None


def moments(shown: LivePanel, scene: Scene) -> list[Moment]:
    """What a reader of a scene sees who chooses the right answer and lets it play.

    >>> price = panel("price")
    >>> [moment.asks for moment in moments(price, price.scenes[0])]
    [False]
    """
    here, ask = shown.starts()[scene.name], scene.ask
    found = [Moment(here, scene.sentence, _reading(scene.sentence, *(ask.answers if ask else ())), bool(ask))]
    if ask:
        told = ask.answers[ask.right or next(iter(ask.answers))]
        says = [scene.sentence, told]
        if ask.right:
            says.insert(1, f"Right is {ask.right}.")
            found.append(found[0]._replace(seconds=PRESSED, pressed=ask.right))
        here = here | dict(ask.then)
        found.append(Moment(here, " ".join(says), max(SEEN_FOR, _reading(*says)), not scene.play, ask.right))
    if scene.play:
        name, stops = scene.play
        order = next(control for control in shown.controls if control.name == name).values.index
        found += [Moment(here | {name: stop}, found[-1].says, PLAY)
                  for stop in stops if order(stop) > order(here[name])]
    return [*found[:-1], found[-1]._replace(seconds=LAST)]


def _reading(*words):
    return len(" ".join(words).split()) / WORDS


@functools.cache
def _font(size, weight=""):
    """The one of matplotlib's pictures."""
    fonts = Path(matplotlib.get_data_path(), "fonts", "ttf")
    return ImageFont.truetype(fonts / f"DejaVuSans{weight}.ttf", size)


def _lines(words, font, width):
    """`words` in lines of at most `width` pixels."""
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if font.getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


class Reel:
    """The frames of the scene called `scene` of a panel.

    Attributes
    ----------
    moments : list of Moment
    frames : list of tuple
        Of each frame the number of its moment, the share of the way to it that is gone, and its seconds.
    pictures : list of Picture
        Of each moment.
    """

    def __init__(self, shown: LivePanel, scene: str) -> None:
        scenes = {each.name: each for each in shown.scenes if each.ask or each.play}
        if scene not in scenes:
            raise ValueError(f"scene = {scene!r:.60} is no scene of {shown.name} that asks or plays; "
                             f"choose {', '.join(map(repr, scenes)) or 'another panel'}.")
        self.scene = scenes[scene]
        self.moments = moments(shown, self.scene)
        self.frames = [*self._frames()]
        self._link = address(shown, self.moments[0].values)
        self._controls = {control.name: control for control in shown.controls}
        states = [shown._state(shown._place(moment.values)) for moment in self.moments]
        self.pictures = [handless(state.picture) for state in states]
        self._readouts = [state.readout for state in states]
        nowhere, numbers = ImageDraw.Draw(Image.new("L", (1, 1))), range(len(self.moments))
        # What is written says how much room it takes.
        self._top = max(self._head(nowhere, number) for number in numbers)
        self._bottom = HEIGHT - ROW - max(self._foot(nowhere, 0, number) for number in numbers)
        self._draw = functools.partial(render, alt="", size=(WIDTH / DPI, (self._bottom - self._top) / DPI))

    def _frames(self):
        for number, moment in enumerate(self.moments):
            moves = moment.values != self.moments[max(0, number - 1)].values
            glides = round(GLIDE / STEP) if moves else 0
            yield from ((number, k / glides, STEP) for k in range(glides))
            yield from [(number, 1.0, REST)] * math.ceil((moment.seconds - glides * STEP) / REST - 1e-9)

    def drawn(self, frame: int) -> Image.Image:
        """The frame of this number, in colours."""
        number, share, _ = self.frames[frame]
        image = self.rests[number].copy()
        if share < 1:
            moving = between(*self.pictures[number - 1:number + 1], share * share * (3 - 2 * share))
            image.paste(self._picture(moving, number), (0, self._top))
        ends = [*accumulate(seconds for *_, seconds in self.frames)]
        draw, y = ImageDraw.Draw(image), HEIGHT - ROW // 2
        right = WIDTH - 2 * EDGE - _font(LETTER).getlength(self._link)
        draw.rectangle((EDGE, y - 3, right, y + 3), FAINT["light"])
        draw.rectangle((EDGE, y - 3, EDGE + (right - EDGE) * ends[frame] / ends[-1], y + 3),
                       ROLES["private"].light)
        return image

    @functools.cached_property
    def rests(self) -> list[Image.Image]:
        """What is seen at each moment when nothing moves."""
        return [self._rest(number) for number in range(len(self.moments))]

    @functools.cached_property
    def _layouts(self):
        """Where the axes stand at rest: while things move, they stay."""
        return [[axes.get_position() for axes in self._draw(picture).axes] for picture in self.pictures]

    def _rest(self, number):
        image = Image.new("RGB", (WIDTH, HEIGHT), PAPER["light"])
        image.paste(self._picture(self.pictures[number], number), (0, self._top))
        draw = ImageDraw.Draw(image)
        self._head(draw, number)
        self._foot(draw, self._bottom, number)
        draw.text((WIDTH - EDGE, HEIGHT - ROW / 2), self._link, QUIET["light"], _font(LETTER), "rm")
        return image

    def _picture(self, picture, number):
        figure = self._draw(picture)
        figure.set_layout_engine("none")
        for axes, place in zip(figure.axes, self._layouts[number], strict=True):
            axes.set_position(place)
        figure.set_dpi(DPI)
        figure.canvas.draw()
        return Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")

    def _head(self, draw, number):
        """Write what is said, and the numbers beside it; returns where they end."""
        (label, value), *others = self._readouts[number]
        wide = max(0.25 * WIDTH, _font(LARGEST, "-Bold").getlength(value))
        draw.text((WIDTH - EDGE, EDGE), value, INK["light"], _font(LARGEST, "-Bold"), "rt")
        below = EDGE + LARGEST
        for words in (label, *(f"{name}: {text}" for name, text in others)):
            for line in _lines(words, _font(LETTER), wide):
                draw.text((WIDTH - EDGE, below), line, QUIET["light"], _font(LETTER), "ra")
                below += 1.25 * LETTER
        y = EDGE
        for line in _lines(self.moments[number].says, _font(SENTENCE), WIDTH - 3 * EDGE - wide):
            draw.text((EDGE, y), line, INK["light"], _font(SENTENCE))
            y += 1.3 * SENTENCE
        return math.ceil(max(y, below)) + EDGE // 2

    def _foot(self, draw, top, number):
        """Write its answers, or the control that plays; returns where they end."""
        moment, x, y = self.moments[number], EDGE, top + ROW / 2
        if not moment.asks:
            control = self._controls[self.scene.play[0]]
            value = moment.values[control.name]
            share = control.values.index(value) / (len(control.values) - 1)
            draw.text((x, y), control.title, INK["light"], _font(LETTER), "lm")
            x += EDGE + _font(LETTER).getlength(control.title)
            draw.rectangle((x, y - 2, x + 300, y + 2), QUIET["light"])
            draw.circle((x + 300 * share, y), 9, ROLES["private"].light)
            draw.text((x + 300 + EDGE, y), control.text(value), INK["light"], _font(LETTER), "lm")
            return top + ROW
        for answer in self.scene.ask.answers:
            wide, chosen = EDGE + _font(LETTER).getlength(answer), answer == moment.pressed
            if x > EDGE and x + wide > WIDTH - EDGE:
                x, y = EDGE, y + ROW
            fill, edge, width = ((ROLES["promise"].light, ROLES["private"].light, 4) if chosen
                                 else (PAPER["light"], QUIET["light"], 2))
            draw.rounded_rectangle((x, y - 15, x + wide, y + 15), 5, fill, edge, width)
            draw.text((x + wide / 2, y), answer, INK["light"], _font(LETTER), "mm")
            x += wide + EDGE / 2
        return math.ceil(y + ROW / 2)


def film(name: str, scene: str, file: str | Path) -> None:
    """Write a scene as a GIF of 1280 x 720 pixels to `file`, and its last frame as a PNG beside it.

    Parameters
    ----------
    name : str
        The panel, as `ldp_lib.live.panel` takes it.
    scene : str
        The name of a scene that asks or plays; a ValueError lists them.
    file : str or Path
        Ends with .gif.

    Examples
    --------
    >>> film("elbow", "lever", "lever.mp4")
    Traceback (most recent call last):
        ...
    ValueError: file = 'lever.mp4' is no name of a film; it must end with .gif.
    """
    file = Path(file)
    if file.suffix != ".gif":
        raise ValueError(f"file = {str(file)!r:.90} is no name of a film; it must end with .gif.")
    reel = Reel(panel(name), scene)
    # One palette for all frames: what stands still then costs nothing.
    palette = Image.fromarray(np.concatenate(reel.rests)).quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
    frames = (reel.drawn(frame).quantize(palette=palette, dither=Image.Dither.NONE)
              for frame in tqdm(range(len(reel.frames)), "frames", leave=False))
    next(frames).save(file, save_all=True, append_images=frames, loop=0, comment=f"{name}?scene={scene}",
                      duration=[round(1000 * seconds) for *_, seconds in reel.frames])
    reel.drawn(-1).save(file.with_suffix(".png"), optimize=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write a scene as a film (GIF) and its last frame (PNG).")
    parser.add_argument("address", help='for example "consistency?scene=more+people"')
    parser.add_argument("file", type=Path)
    asked = parser.parse_args()
    if asked.file.exists():
        raise SystemExit(f"{asked.file} exists: choose another name, or remove it.")
    try:
        shown = panel(asked.address)
        scene = shown.values.get("scene")
        if shown.remarks or shown.values != shown.starts().get(scene):
            raise ValueError(f"{asked.address}: a film begins where its scene begins; name a panel and a "
                             'scene, as in "elbow?scene=lever".')
        film(asked.address.partition("?")[0], scene, asked.file)
    except ValueError as wrong:
        raise SystemExit(str(wrong)) from None
    print(f"{asked.file}: {asked.file.stat().st_size / 2**10:.0f} KiB")

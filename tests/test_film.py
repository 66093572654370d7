"""Films of scenes: what they show and say, and when; those that are kept are what the code makes."""

import re
import subprocess
import sys
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from ldp_lib.live import PANELS, kind, panel
from ldp_lib.site import film as films
from ldp_lib.site.film import HEIGHT, WIDTH, Reel, film

LARGEST = 1_500_000  # bytes
SAME, OTHER = 1.0, 3.0
"""Between two frames seen from afar, levels of 255: at most where they are one, whatever draws letters, and
at least where they are two."""
KEPT = sorted((Path(__file__).resolve().parents[1] / "docs" / "films").glob("*.gif"))
SCENES = [(name, scene.name) for name in PANELS for scene in kind(name).scenes if scene.ask or scene.play]


def afar(image):
    """An image as small as a stamp, on which letters are grey: shape (45, 80, 3)."""
    return np.asarray(image.convert("RGB").resize((80, 45), Image.Resampling.BOX), float)


def far(one, other):
    """How different two images are: the mean over the tenth of the stamp that differs most."""
    gaps = np.sort(np.abs(afar(one) - afar(other)).max(axis=2).ravel())
    return gaps[-len(gaps) // 10:].mean()


def rest(found, number):
    """The first frame that rests at a moment."""
    return next(frame for frame, (moment, share, _) in enumerate(found.frames)
                if moment == number and share == 1)


def test_times_are_the_browsers(repository):
    story = (repository / "ldp_lib/stage/browser/story.js").read_text(encoding="utf-8")
    for name in ("GLIDE", "PLAY", "SEEN_FOR"):
        milliseconds = re.search(rf"^const {name} = (\d+);", story, re.MULTILINE)[1]
        assert float(milliseconds) == 1000 * getattr(films, name)


@pytest.mark.parametrize(("name", "scene"), SCENES)
def test_every_scene_that_moves_has_a_reel(name, scene):
    """It asks, is answered rightly and plays to the end; its words leave room for a picture."""
    shown = panel(name)
    found, told = Reel(shown, scene), {each.name: each for each in shown.scenes}[scene]
    start, end = shown.starts()[scene], found.moments[-1].values
    assert found.moments[0].values == start and found.moments[0].says == told.sentence
    if told.ask:
        answered = next(moment for moment in found.moments if moment.says != told.sentence)
        assert answered.values == start | dict(told.ask.then)
        assert answered.says.endswith(told.ask.answers[told.ask.right or next(iter(told.ask.answers))])
        assert [moment.pressed for moment in found.moments[:2]] == [None, told.ask.right]
        assert answered.seconds >= films.SEEN_FOR and answered.asks == (not told.play)
    assert not told.play or end[told.play[0]] == told.play[1][-1]
    assert all(shown.reachable(moment.values, ())[0] == moment.values for moment in found.moments)
    assert not [mark.label for picture in found.pictures for axes in picture.axes for mark in axes.marks
                if "drag" in mark.label]
    assert found._bottom - found._top >= 0.5 * HEIGHT
    numbers = [number for number, *_ in found.frames]
    assert [number for number, _ in groupby(numbers)] == list(range(len(found.moments)))
    for number, moment in enumerate(found.moments):
        seconds = sum(lasts for at, _, lasts in found.frames if at == number)
        assert moment.seconds - 1e-9 <= seconds < moment.seconds + films.REST


@pytest.mark.ci
@pytest.mark.share(2)
@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_a_film_that_is_kept_is_what_the_code_makes(path):
    """At the beginning, at the answer and at the end; from afar, since letters are not alike everywhere."""
    assert path.stat().st_size <= LARGEST
    with Image.open(path) as made:
        name, scene = made.info["comment"].decode().split("?scene=")
        found = Reel(panel(name), scene)
        assert made.size == (WIDTH, HEIGHT) and made.n_frames == len(found.frames) and made.info["loop"] == 0
        question, palette = found.moments[0].says, made.copy()
        answer = next((number for number, moment in enumerate(found.moments) if moment.says != question), 1)
        frames = [0, rest(found, answer), len(found.frames) - 1]
        kept = [frame.convert("RGB") for number, frame in enumerate(ImageSequence.Iterator(made))
                if number in frames]
    fresh = [found.drawn(frame) for frame in frames]
    for one, other in zip(kept, fresh, strict=True):
        assert far(one, other.quantize(palette=palette, dither=Image.Dither.NONE)) < SAME
        assert one.getpixel((0, 0)) == (255, 255, 255)
    assert all(far(one, other) > OTHER for one, other in pairwise(fresh))
    with Image.open(path.with_suffix(".png")) as still:
        assert far(still, fresh[-1]) < SAME


SHOWN = re.compile(r'''<picture>
  <source media="\(prefers-reduced-motion: reduce\)" srcset="([^"]+)\.png">
  <img src="\1\.gif" width="[^"]+"([^>]*) alt="([^"]+)">
</picture>''')


@pytest.mark.parametrize(("page", "folder", "how"), [
    ("README.md", "docs/films/", ""),
    ("docs/site/index.md", "_static/films/", ' height="720" loading="lazy"')])
def test_pages_show_all_films_a_still_to_who_wants_it_and_words_that_are_true(repository, page, folder, how):
    """On the first page a film is loaded only by who looks for it; numbers are those of the film."""
    films_shown = SHOWN.findall((repository / page).read_text(encoding="utf-8"))
    assert sorted(stem for stem, *_ in films_shown) == [folder + path.stem for path in KEPT]
    assert {extra for _, extra, _ in films_shown} == {how}
    for stem, _, words in films_shown:
        with Image.open(repository / "docs" / "films" / f"{stem.removeprefix(folder)}.gif") as made:
            name, scene = made.info["comment"].decode().split("?scene=")
        found = Reel(panel(name), scene)
        said = " ".join(moment.says for moment in found.moments)
        said += str([found._readouts, [[*map(str, moment.values.values())] for moment in found.moments]])
        numbers = re.findall(r"\d[\d.]*\d%?", words.replace(",", ""))
        assert numbers and [number for number in numbers if number not in said.replace(",", "")] == []


def test_a_film_of_ones_own_lesson_moves_and_lasts(tmp_path, repository):
    path = tmp_path / "busy.gif"
    film(str(repository / "examples" / "queues.py"), "busy", path)
    with Image.open(path) as made:
        found = Reel(panel(str(repository / "examples" / "queues.py")), "busy")
        assert made.n_frames == len(found.frames)
        lasts = [frame.info["duration"] for frame in ImageSequence.Iterator(made)]
        assert lasts == [round(1000 * seconds) for *_, seconds in found.frames]
    glide = [frame for frame, (_, share, _) in enumerate(found.frames) if share < 1]
    seen = [found.drawn(frame) for frame in [*glide[::4], glide[-1] + 1]]
    assert all(far(one, other) > SAME for one, other in pairwise(seen))


@pytest.mark.parametrize(("scene", "file", "said"), [
    ("half", "half.gif", "scene = 'half' is no scene of queues that asks or plays; choose 'busy'"),
    ("busy", "busy.mp4", "'busy.mp4' is no name of a film; it must end with .gif")])
def test_what_is_no_film_is_refused(tmp_path, monkeypatch, repository, scene, file, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=re.escape(said)):
        film(str(repository / "examples" / "queues.py"), scene, file)
    assert not list(tmp_path.iterdir())


@pytest.mark.ci
def test_the_command_overwrites_nothing_and_says_what_is_wrong(tmp_path):
    def run(address, file):
        done = subprocess.run([sys.executable, "-m", "ldp_lib.site.film", address, tmp_path / file],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    (tmp_path / "here.gif").write_bytes(b"mine")
    assert run("consistency?scene=more+people", "here.gif")[0] == 1
    assert (tmp_path / "here.gif").read_bytes() == b"mine"
    code, said = run("consistency?scene=explore", "new.gif")
    assert code == 1 and "asks or plays; choose" in said and "Traceback" not in said
    code, said = run("consistency?scene=more+people&n=3", "new.gif")
    assert code == 1 and "begins where its scene begins" in said and not (tmp_path / "new.gif").exists()

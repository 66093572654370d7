"""The list of all scenes: a small picture, the sentence, and the address of each."""

import html
from pathlib import Path

import joblib
from entrance import small

from ldp_lib.live import PANELS, panel


def write_scenes(folder: Path) -> str:
    """Markdown: links to the panels, and a card for each scene of each; its small picture in `folder`."""
    told = {name: panel(name).title for name in PANELS if panel(name).scenes}
    links = " · ".join(f'<a href="#of-{name}">{html.escape(title)}</a>' for name, title in told.items())
    cards = joblib.Parallel(-1)(joblib.delayed(_panel)(name, folder) for name in told)
    return "\n".join(('<nav aria-label="panels"><p>', links, "</p></nav>", '<div class="ldp-all-scenes">',
                      *cards, "</div>", ""))


def _panel(name, folder):
    """The cards of one panel."""
    shown, cards = panel(name), []
    for number, scene in enumerate(shown.scenes):
        file = folder / f"{name}-{number}.svg"
        file.write_text(small(name, scene.name), encoding="utf-8")
        address = panel(name, **shown.starts()[scene.name]).link.replace(f"{name}/{shown.version}", name, 1)
        sentence, link = html.escape(scene.sentence), html.escape(address)
        page = f"embed/{name}.html#{html.escape(address.partition('?')[2])}"
        picture = (f'<img src="_static/{folder.name}/{file.name}" alt="" width="240" height="150" '
                   'loading="lazy">')
        ask = getattr(scene, "ask", None)
        vote = f"<p>Vote: {html.escape(' · '.join(ask.answers))}.</p>" if ask else ""
        cards.append(f'<li data-address="{link}" data-sentence="{sentence}">'
                     f'<a href="{page}">{picture}{html.escape(scene.name)}</a>'
                     f'<p>{sentence}</p>{vote}<p><code>{link}</code></p></li>')
    title = html.escape(shown.title)
    return f'<h2 id="of-{name}">{title}</h2><ul class="ldp-map">{"".join(cards)}</ul>'

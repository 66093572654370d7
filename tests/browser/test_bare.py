"""What a panel needs of its host: the module alone in bare pages, with a model as anywidget promises it.

Some hosts add a manager of widgets, which tells more or less. Those of Colab, which no test has, and of
marimo, which needs a server (`test_marimo`), are imitated here.
"""

import base64
import json

import harness
import pytest
from playwright.sync_api import expect

from ldp_lib.live import LivePanel, panel
from ldp_lib.stage.deck import pack

PAGE = """<!doctype html><title>bare</title><body style="margin: 0; background: {background}">
<div id="here"></div><style>{css}</style>
<script type="module">
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt()).buffer);
const state = {state}, heard = {{}};
const hear = (name) => heard[name] ??= new Set();
window.model = {{
  get: (name) => name === "deck" ? bytes(state.deck) : state[name], set() {{}}, save_changes() {{}},
  on: (name, act) => hear(name).add(act), off: (name, act) => hear(name).delete(act),
  async send(content) {{
    const deck = await window.kernel(content);
    if (deck) for (const act of hear("msg:custom")) act({{ deck: 1 }}, [bytes(deck)]);
  }},
  widget_manager: {manager},
}};
const module = new Blob([{module}], {{ type: "text/javascript" }});
const {{ default: widget }} = await import(URL.createObjectURL(module));
let el = document.getElementById("here");
if ({shadow}) {{
  el = el.attachShadow({{ mode: "open" }});
  el.append(document.querySelector("style"), document.createElement("div"));
  el = el.lastChild;
}}
window.close = widget.render({{ model, el }});
</script>"""
QUEUES = str(harness.ROOT / "examples" / "queues.py")
MANAGERS = {
    "none": "undefined",
    "Colab": "{ get_model: async () => window.own ??= { comm_live: true, on() {}, off() {} } }",
    "marimo": "{ get_model: async () => ({ on() {}, off() {} }) }",
}


def put(page, live, manager="none", background="white", shadow=False):
    """Show a panel in a page that knows one state, with this process as kernel; what it asks, and it."""
    asked = []

    def kernel(content):
        asked.append(content)
        if "need" in content:
            place = tuple(content["need"])
            return base64.b64encode(pack({place: live._state(place)})).decode()

    page.expose_function("kernel", kernel)
    state = {"key": live.key, "spec": live.spec, "place": live.place, "moves": 0,
             "deck": base64.b64encode(pack({live.place: live._state(live.place)})).decode()}
    state, module = (json.dumps(each).replace("</", r"<\/") for each in (state, LivePanel._esm))
    page.set_content(PAGE.format(css=LivePanel._css, state=state, module=module, background=background,
                                 manager=MANAGERS[manager], shadow=json.dumps(shadow)))
    found, = harness.panels(page, True)
    return asked, found


@pytest.fixture
def page(page):
    """A page that complains of nothing."""
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: message.type in ("error", "warning") and wrong.append(message.text))
    yield page
    assert wrong == []


@pytest.mark.parametrize("manager", MANAGERS)
def test_scenes_turn_and_unknown_states_are_asked_for(page, manager):
    live = panel(QUEUES)
    asked, found = put(page, live, manager)
    told = [found.locator(".ldp-sentence").inner_text() for _ in harness.scenes(found)]
    assert all(scene.sentence in said for scene, said in zip(live.scenes, told, strict=True))
    before = harness.picture(found)
    found.get_by_role("slider").first.press("ArrowRight")
    assert harness.at_rest(found) != before
    moved = live.position(scene="explore", load=0.55)
    places = [live._place(values) for values in (*live.starts().values(), moved)]
    assert {tuple(content["need"]) for content in asked if "need" in content} == set(places) - {live.place}
    assert {"place": list(places[-1])} in asked
    expect(found.locator(".ldp-status")).to_have_text("")


def test_a_comm_that_is_closed_is_announced(page):
    _, found = put(page, panel(QUEUES), "Colab")
    expect(found.locator(".ldp-status")).to_have_text("")
    page.evaluate("window.own.comm_live = false")
    expect(found.locator(".ldp-status")).to_contain_text("The kernel is gone")


@pytest.mark.parametrize("background, theme", [
    ("oklch(0.2 0.02 250)", "dark"), ("color(srgb 1 1 1)", "light"), ("rgb(0 0 0 / 0.2)", "light")])
def test_the_theme_is_that_of_the_page_around_a_shadow_root(page, background, theme):
    _, found = put(page, panel(QUEUES), background=background, shadow=True)
    expect(found).to_have_attribute("data-theme", theme)
    found.press("l")
    last = found.locator("button:visible, select:visible, input:visible, summary:visible").last
    last.focus()
    page.keyboard.press("Tab")
    assert found.evaluate("node => node.contains(node.getRootNode().activeElement)"), "Tab left the lecture"

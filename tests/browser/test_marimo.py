"""Panels in marimo, which is no Jupyter: its own kernel and messages, a shadow root around each output."""

import harness
import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.ci, pytest.mark.long]  # it installs marimo


@pytest.fixture(scope="module")
def marimo(environment, tmp_path_factory):
    example = harness.ROOT / "examples" / "marimo_panel.py"
    with harness.server("marimo", example, tmp_path_factory.mktemp("marimo"),
                        python=environment("marimo~=0.25.2")) as running:
        yield running


def is_whole(panel):
    """Nothing around the panel, through shadow roots, cuts it or scrolls it."""
    assert panel.evaluate("""panel => {
        const { bottom } = panel.getBoundingClientRect(), around = [];
        for (let node = panel; node !== document.body; node = node.parentElement ?? node.getRootNode().host)
            around.push(node);
        return around.every((node) => getComputedStyle(node).overflowY === "visible"
                                      || node.getBoundingClientRect().bottom >= bottom - 1);
    }""")


def test_panels_move_in_marimo(page, marimo):
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(marimo.url(""))
    page.locator(".ldp-panel").nth(1).wait_for()
    bare, wrapped = harness.panels(page, True)
    for panel in (bare, wrapped):
        harness.check_readable(panel)
        is_whole(panel)
        assert panel.bounding_box()["height"] == 680
    assert "α = 0.5" in wrapped.locator(".ldp-figure").get_attribute("aria-label")
    pictures = [harness.picture(bare) for _ in harness.scenes(bare)]
    assert len(set(map(str, pictures))) == len(pictures)
    # The states of other problems did not come along with the panel.
    problem, before = wrapped.get_by_label("problem"), harness.picture(wrapped)
    with page.expect_request(lambda request: '"need"' in (request.post_data or "")):
        problem.select_option(index=problem.evaluate("node => node.options.length - 1 - node.selectedIndex"))
    assert harness.at_rest(wrapped) != before
    page.wait_for_timeout(1200)  # a panel looks at its kernel once a second
    for panel in (bare, wrapped):
        expect(panel.locator(".ldp-status")).to_have_text("")
    assert wrong == []
    wrapped.focus()
    page.keyboard.press("l")
    assert wrapped.bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 900}

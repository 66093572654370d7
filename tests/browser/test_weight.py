"""What a page weighs: all that it has asked for until it rests, its first picture ready to be moved."""

import harness
import pytest

PAGES = ["index", *(f"notebooks/{path.stem}" for path in sorted(harness.NOTEBOOKS.glob("[0-9]*.ipynb")))]
BYTES, REQUESTS = 300 * 1024, 12
"""Of a page that nobody has visited, as `make serve` sends it."""
USUAL = {"offline": False, "latency": 20, "downloadThroughput": -1, "uploadThroughput": -1}
"""A connection: milliseconds to the server and back, and no limit of bytes."""


def weighed(page, address):
    """The files that the page at `address` asks for: name -> bytes on their way."""
    names, found = {}, {}

    def asked(sent):
        url = sent["request"]["url"]
        if not url.startswith("data:"):
            name = names[sent["requestId"]] = url.partition("?")[0].rpartition("/")[2]
            found[name] = None

    def come(sent):
        if sent["requestId"] in names:
            found[names[sent["requestId"]]] = sent["encodedDataLength"]

    session = page.context.new_cdp_session(page)
    session.on("Network.requestWillBeSent", asked)
    session.on("Network.loadingFinished", come)
    session.send("Network.enable")
    # How far below the window pictures are fetched is each browser's guess, by the connection that it finds.
    session.send("Network.emulateNetworkConditions", USUAL)
    page.goto(address, wait_until="networkidle")
    page.locator(".ldp-panel .ldp-spine").first.wait_for()
    harness.until(page, "ldpRests()")
    session.detach()
    return found


@pytest.mark.share(3)
@pytest.mark.parametrize("name", PAGES)
def test_the_first_picture_moves_after_little(browser, pages, name):
    base = pages.url("x").partition("/notebooks")[0]
    with harness.new_page(browser, width=1280, height=720) as page:
        found = weighed(page, f"{base}/{name}.html")
    assert "panels.js" in found and len(found) <= REQUESTS, found
    assert sum(found.values()) <= BYTES, found

"""The violations that axe-core finds on a page at WCAG 2.2 AA and by its own best practices."""

from importlib.resources import files

import pytest
from playwright.sync_api import Frame, Page

# Width and colour scheme. The suite tests the two looks that differ in both. `make test-long` tests
# the others.
LOOKS = [
    (1280, "light"),
    (360, "dark"),
    pytest.param((1280, "dark"), marks=pytest.mark.long),
    pytest.param((360, "light"), marks=pytest.mark.long),
]
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Sticky bars are made static during the check. Otherwise axe reports targets that a bar half covers
# as too small.
RUN = """async (values) => {
    const bars = [...document.querySelectorAll("body *")]
        .filter((element) => ["sticky", "fixed"].includes(getComputedStyle(element).position));
    for (const bar of bars) bar.style.position = "static";
    const {violations} = await axe.run(document, {
        resultTypes: ["violations"], runOnly: {type: "tag", values},
    });
    for (const bar of bars) bar.style.position = "";
    return violations.map((violation) =>
        `${violation.id}: ${violation.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
}"""


def axe_findings(page: Page | Frame) -> list[str]:
    """Return a line for each rule that the page breaks, with its id and the elements.

    A page that is still loading is awaited.
    """
    page.wait_for_load_state()
    # Colours in transition are neither the old nor the new colour.
    page.evaluate("document.getAnimations().forEach((animation) => animation.finish())")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    return page.evaluate(RUN, TAGS)

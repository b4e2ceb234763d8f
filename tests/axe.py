"""What axe-core finds on a page at WCAG 2.2 AA (and its own best practices)."""

from importlib.resources import files

from playwright.sync_api import Frame, Page

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# The rules that depend on colours; the others find the same in either colour scheme.
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
RUN = """async ([type, values]) => (await axe.run(document, {runOnly: {type, values}}))
    .violations.map((each) =>
        `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`)"""


def axe_findings(page: Page | Frame, *, colours_only: bool = False) -> list[str]:
    """A line for each rule that the page breaks: its id and the elements. `colours_only` is for a page
    that is looked at in the other colour scheme with all rules."""
    # A colour on its way from one to another is neither.
    page.evaluate("document.getAnimations().forEach((each) => each.finish())")
    page.evaluate(AXE)
    return page.evaluate(RUN, ["rule", COLOUR_RULES] if colours_only else ["tag", TAGS])

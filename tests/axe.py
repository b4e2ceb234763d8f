"""What axe-core finds on a page at WCAG 2.2 AA (and its own best practices)."""

from importlib.resources import files

from playwright.sync_api import Frame, Page

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """async (tags) => (await axe.run(document, {runOnly: {type: "tag", values: tags}}))
    .violations.map((each) =>
        `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`)"""


def axe_findings(page: Page | Frame) -> list[str]:
    """A line for each rule that the page breaks: its id and the elements."""
    page.evaluate(AXE)
    return page.evaluate(RUN, TAGS)

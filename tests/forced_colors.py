"""The look of an element when the system forces its colours, as Windows' high contrast does."""

from playwright.sync_api import Locator, Page

# Shadows, and backgrounds other than the system's, are gone then.
LOOK = """(each) => {
    const style = getComputedStyle(each);
    const edges = ["Top", "Right", "Bottom", "Left"].map((side) => [
        style[`border${side}Width`], style[`border${side}Style`], style[`border${side}Color`],
    ]);
    const outline = style.outlineStyle === "none" ? "" :
        [style.outlineWidth, style.outlineStyle, style.outlineColor].join(" ");
    return JSON.stringify([
        style.backgroundColor, style.color, style.textDecorationLine, style.textDecorationStyle,
        edges, outline,
    ]);
}"""


def force_colors(page: Page) -> None:
    page.emulate_media(forced_colors="active", color_scheme="dark")


def forced_look(element: Locator) -> str:
    """Return the properties that show a state in forced colours."""
    look: str = element.first.evaluate(LOOK)
    return look

"""What a screen reader announces on a page: the texts that its live regions get, in their order."""

from playwright.sync_api import Frame, Page

# An observer of the document also sees regions that are added later. Regions that are hidden or turned
# off are silent.
OBSERVE = """() => {
    window.announced = [];
    const LIVE = "[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]";
    const heard = new Map();
    const read = () => {
        for (const region of document.querySelectorAll(LIVE)) {
            const isSilent = region.getAttribute("aria-live") === "off" || !region.checkVisibility();
            const text = isSilent ? "" : region.innerText.trim().replace(/\\s+/g, " ");
            if (heard.get(region) === text) continue;
            heard.set(region, text);
            if (text) window.announced.push(text);
        }
    };
    read();
    window.announced = [];
    const options = {subtree: true, childList: true, characterData: true, attributes: true};
    new MutationObserver(read).observe(document, options);
}"""


def observe_announcements(page: Page | Frame) -> None:
    page.evaluate(OBSERVE)


def announcements(page: Page | Frame) -> list[str]:
    """Return the announcements since the last call."""
    texts: list[str] = page.evaluate("window.announced.splice(0)")
    return texts

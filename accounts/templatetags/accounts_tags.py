import re

from django import template

register = template.Library()

# In this order: Edge says that it is Chrome, and Chrome that it is Safari.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrom", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone|iPad", "iOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux|X11", "Linux"),
)


@register.filter
def browser_name(agent: str) -> str:
    """What a browser says it is, in two words: Firefox on Linux."""
    browser = _first(BROWSERS, agent) or agent.split("/", maxsplit=1)[0][:30] or "unknown"
    system = _first(SYSTEMS, agent)
    return f"{browser} on {system}" if system else browser


def _first(names: tuple[tuple[str, str], ...], agent: str) -> str:
    return next((name for pattern, name in names if re.search(pattern, agent)), "")

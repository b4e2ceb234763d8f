import re

from django import template
from django.forms import BoundField
from django.utils.safestring import SafeString

from accounts.domain import first_account

register = template.Library()

# The order matters: Edge contains the name of Chrome, and Chrome that of Safari.
BROWSERS = {
    "Edg": "Edge",
    "OPR": "Opera",
    "Firefox": "Firefox",
    "Chrom": "Chrome",
    "Safari": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone|iPad": "iOS",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


@register.filter
def browser_name(agent: str) -> str:
    """Return a short name of a browser, such as "Firefox on Linux"."""
    browser = _first_match(BROWSERS, agent) or "Unknown browser"
    system = _first_match(SYSTEMS, agent)
    return f"{browser} on {system}" if system else browser


def _first_match(names: dict[str, str], agent: str) -> str:
    return next((name for pattern, name in names.items() if re.search(pattern, agent)), "")


@register.filter
def input_of(field: BoundField, focused: bool) -> SafeString:
    """Render the input of a field without a placeholder that repeats the label."""
    return field.as_widget(attrs={"placeholder": False, "autofocus": focused})


@register.simple_tag
def has_accounts() -> bool:
    return first_account.has_accounts()

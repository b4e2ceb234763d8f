"""Filters and tags of benchmarks. Scores are rounded, so that single items can't be read from them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from benchmarks.models import Entry
from datasets.templatetags.system_figures import p_value

register = template.Library()
register.filter(p_value)
_UNDEFINED = "–"


@register.filter
def tenths(share: float | None) -> str:
    """Format a share in percent with one decimal, without the sign."""
    return _UNDEFINED if share is None else f"{100 * share:.1f}"


@register.filter
def signed_tenths(difference: float | None) -> str:
    """Format a difference of shares in percentage points, with one decimal."""
    return _UNDEFINED if difference is None else f"{100 * difference:+.1f}".replace("-", "−")


@register.filter
def tenth_ends(figure: Mapping[str, float | None] | object) -> str:
    """Format the ends of an interval."""
    if isinstance(figure, Mapping):
        low, high = figure["low"], figure["high"]
    else:
        low, high = getattr(figure, "low", None), getattr(figure, "high", None)
    if low is None or high is None:
        return ""
    return f"{100 * low:.1f} to {100 * high:.1f}".replace("-", "−")


@register.filter
def numbered(pair: Sequence[Entry]) -> list[tuple[str, Entry]]:
    """Return both entries with the names of their fields."""
    return list(zip(("first", "second"), pair, strict=True))


@register.simple_tag
def utc(at: datetime) -> SafeString:
    """Render a moment that is not relative, because pages in caches grow old."""
    moment = at.astimezone(UTC)
    return format_html(
        '<time datetime="{}">{}</time>', moment.isoformat(), f"{moment:%Y-%m-%d %H:%M}"
    )


@register.simple_tag
def sign_up_offer(at: Sequence[str]) -> SafeString:
    """Render how to get an account, if the site lets participants create one."""
    if not settings.PARTICIPANT_SIGNUP:
        text = "You need an account of this site to take part. Ask the organisers for one."
        return format_html("<p>{}</p>", text)
    team = reverse("benchmarks:benchmark_team", args=at)
    return format_html(
        '<p>You need an account of this site. <a href="{}?{}">Create an account to take part</a></p>',
        reverse("accounts:sign_up"),
        urlencode({"next": team}),
    )

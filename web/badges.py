"""Badges of states: a word in the colour and with the symbol of its tone (table.css)."""

from collections.abc import Mapping
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

NEUTRAL, RUNNING, WAITING, SUCCESS, DANGER = "neutral", "running", "waiting", "success", "danger"

# The tone of each state of every app. The words are the labels of the states.
TONES: Mapping[str, str] = {
    # Nothing happens now.
    "not-published": NEUTRAL,
    "training": NEUTRAL,
    "withdrawn": NEUTRAL,
    "closed": NEUTRAL,
    "expired": NEUTRAL,
    "revoked": NEUTRAL,
    "lifted": NEUTRAL,
    "gone": NEUTRAL,
    "dropped": NEUTRAL,
    "cancelled": NEUTRAL,
    "draft": NEUTRAL,
    "ended": NEUTRAL,
    "released": NEUTRAL,
    "replaced": NEUTRAL,
    "dismissed": NEUTRAL,
    "followed": NEUTRAL,
    # Workers or the site are at work.
    "generating": RUNNING,
    "publishing": RUNNING,
    "live": RUNNING,
    "open": RUNNING,
    "offered": RUNNING,
    "case-open": RUNNING,
    "invited": RUNNING,
    "working": RUNNING,
    "revising": RUNNING,
    "reopened": RUNNING,
    "repeating": RUNNING,
    "running": RUNNING,
    "sending": RUNNING,
    "sent": RUNNING,
    "active": RUNNING,
    "paying": RUNNING,
    # Somebody has to act, or a queue has to be processed.
    "pending": WAITING,
    "new": WAITING,
    "submitted": WAITING,
    "to-decide": WAITING,
    "review": WAITING,
    "held": WAITING,
    "waiting": WAITING,
    "drawn": WAITING,
    "uploaded": WAITING,
    "queued": WAITING,
    "paused": WAITING,
    "returned": WAITING,
    "rejecting": WAITING,
    "revoking": WAITING,
    "granting": WAITING,
    "refusing": WAITING,
    "lifting": WAITING,
    "uncertain": WAITING,
    "edited": WAITING,
    "planned": WAITING,
    "unknown": WAITING,
    # It ended as wanted.
    "finished": SUCCESS,
    "done": SUCCESS,
    "consolidated": SUCCESS,
    "validated": SUCCESS,
    "resolved": SUCCESS,
    "accepted": SUCCESS,
    "approved": SUCCESS,
    "confirmed": SUCCESS,
    "corrected": SUCCESS,
    "merged": SUCCESS,
    "passed": SUCCESS,
    "granted": SUCCESS,
    "gold": SUCCESS,
    "kept": SUCCESS,
    # It ended otherwise, or something is wrong.
    "failed": DANGER,
    "rejected": DANGER,
    "declined": DANGER,
    "upheld": DANGER,
    "refused": DANGER,
    "disputed": DANGER,
    "blocked": DANGER,
    "invalid": DANGER,
}


def badge(state: str, label: object = "") -> SafeString:
    """Return the badge of a state. Without a label, the state itself is the word."""
    tone = TONES.get(state, NEUTRAL)
    return format_html(
        '<span class="state state--{} tone--{}">{}</span>', state, tone, label or state
    )


def badge_of(row: Any) -> SafeString:
    """Return the badge of a model with a `state`."""
    return badge(row.state, row.get_state_display())

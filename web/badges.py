"""Badges of states: a word in the colour and with the symbol of its tone (table.css)."""

from django.db.models import Model
from django.utils.html import format_html
from django.utils.safestring import SafeString

from web.states import State, Tone, states_of


def badge(name: str, tone: Tone, label: object = "") -> SafeString:
    """Return a badge, whose label is `name` by default."""
    return format_html(
        '<span class="state state--{} tone--{}">{}</span>', name, tone, label or name
    )


def state_badge(state: State) -> SafeString:
    return badge(state, state.tone, state.label)


def badge_of(row: Model) -> SafeString:
    """Return the badge of a row's state."""
    return state_badge(states_of(type(row))(row.state))  # type: ignore[attr-defined]

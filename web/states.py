"""States of rows, declared once: the value, the badge's tone, the sentence in the log and the label."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from django.db.models import Model, TextChoices


class Tone(StrEnum):
    """The meaning of a state, which gives its badge a colour and a symbol (table.css)."""

    NEUTRAL = "neutral"  # nothing happens now
    RUNNING = "running"  # workers or the site are at work
    WAITING = "waiting"  # somebody has to act, or a queue has to be processed
    SUCCESS = "success"  # it ended as wanted
    DANGER = "danger"  # it ended otherwise, or something is wrong


@dataclass(frozen=True, slots=True)
class Phrase:
    """A change in words, with {it} for the object and {detail} for what the change says.

    `did` follows a person's name. `was` is the whole sentence if no person made the change.
    """

    did: str
    was: str
    detail: str = ""
    shows_reason: bool = True


def action(past: str, participle: str = "") -> Phrase:
    """Return the phrase of an action on the object, such as "accepted"."""
    return Phrase(f"{past} {{it}}", f"{{it}} was {participle or past}")


def event(past: str) -> Phrase:
    """Return the phrase of an event, such as "failed"."""
    return Phrase(f"reported that {{it}} {past}", f"{{it}} {past}")


class State(TextChoices):
    """The states of a model: `LIVE = "live", Tone.RUNNING, action("published"), "live"`.

    The label is the last part, as in all choices of Django. States that the log doesn't show have no
    phrase.
    """

    tone: Tone
    phrase: Phrase | None

    # The defaults are for mypy, which reads `HitState("live")` as a call of this method.
    def __new__(cls, value: str, tone: Tone = Tone.NEUTRAL, phrase: Phrase | None = None) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.tone = tone
        member.phrase = phrase
        return member


def states_of(model: type[Model]) -> type[State]:
    """Return the states of a model, whose field `state` starts with one of them."""
    states: type[State] = type(model._meta.get_field("state").default)  # type: ignore[union-attr]
    return states

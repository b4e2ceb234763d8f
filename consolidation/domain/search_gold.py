"""Gold found by its questions, its target, who worked on it, and what experts said of it.

Plain text with LIKE, the same on both engines. PostgreSQL has a trigram index for it where it may
have the extension (`consolidation/trigram_index.py`); without one it reads a narrow table.
"""

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Project
from consolidation.domain.index_gold import padded
from consolidation.enums import ReviewState
from consolidation.models import GoldEntry, Review


class GoldState(StrEnum):
    """What experts have said of a standing gold annotation."""

    UNREVIEWED = "unreviewed"
    WAITING = "waiting"
    CONFIRMED = "confirmed"
    CORRECTED = "corrected"
    RETURNED = "returned"

    @property
    def label(self) -> str:
        return {
            GoldState.UNREVIEWED: "not reviewed",
            GoldState.WAITING: "waiting for an expert",
        }.get(self, self.value)


@dataclass(frozen=True, slots=True)
class GoldFilter:
    """Which gold to find; empty means any. `question` is words in a row, the last maybe begun only;
    `verb` a form or the base form; `worker` a pseudonym of whoever generated or consolidated."""

    question: str = ""
    verb: str = ""
    worker: str = ""
    state: str = ""
    domain: str = ""
    partition: str = ""
    source: str = ""


def find_gold(*, project: Project, wanted: GoldFilter) -> QuerySet[GoldEntry]:
    """The entries of the standing gold that matches all of the filter, in no order."""
    found = GoldEntry.objects.filter(project=project)
    if phrase := padded([wanted.question]).rstrip():
        found = found.filter(questions__contains=phrase)
    if verb := padded([wanted.verb]).strip():
        found = found.filter(target__contains=f" {verb} ")
    if worker := padded([wanted.worker]).strip():
        found = found.filter(workers__contains=f" {worker} ")
    if wanted.source:
        found = found.filter(source=wanted.source)
    if wanted.domain:
        found = found.filter(sentence__domain=wanted.domain)
    if wanted.partition:
        found = found.filter(sentence__partition=wanted.partition)
    if wanted.state:
        found = found.filter(_in_state(GoldState(wanted.state)))
    return found


def _in_state(state: GoldState) -> Q:
    reviews = Review.objects.filter(gold=OuterRef("gold"))
    corrects = Exists(Review.objects.filter(correction=OuterRef("gold")))
    if state == GoldState.UNREVIEWED:
        return Q(~Exists(reviews)) & Q(~corrects)
    if state == GoldState.CORRECTED:
        return Q(corrects)
    kept = {
        GoldState.WAITING: ReviewState.DRAWN,
        GoldState.CONFIRMED: ReviewState.CONFIRMED,
        GoldState.RETURNED: ReviewState.RETURNED,
    }[state]
    return Q(Exists(reviews.filter(state=kept)))

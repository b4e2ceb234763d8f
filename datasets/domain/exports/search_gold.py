"""Search gold by content, target, workers and reviews.

The search uses LIKE on both databases. PostgreSQL has a trigram index if the extension is available
(see `consolidation/trigram_index.py`).
"""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet, TextChoices

from consolidation.domain.gold.index_gold import padded
from consolidation.enums import ReviewState
from consolidation.models import GoldEntry, Review
from projects.models import Project


class GoldState(TextChoices):
    """The review state of current gold."""

    UNREVIEWED = "unreviewed", "not reviewed"
    WAITING = "waiting", "pending review"
    CONFIRMED = "confirmed", "confirmed"
    CORRECTED = "corrected", "corrected"
    RETURNED = "returned", "returned"


@dataclass(frozen=True, slots=True)
class GoldFilter:
    """Criteria for finding gold. An empty value matches everything.

    `content` is a phrase whose last word may be incomplete, and `target` a phrase of whole words, both
    in the texts of the scheme's search. `worker` is the pseudonym of a generator or consolidator.
    """

    content: str = ""
    target: str = ""
    worker: str = ""
    state: str = ""
    domain: str = ""
    partition: str = ""
    source: str = ""


def find_gold(*, project: Project, wanted: GoldFilter) -> QuerySet[GoldEntry]:
    """Return the unordered entries of current gold that match all criteria."""
    entries = GoldEntry.objects.filter(project=project)
    if phrase := padded([wanted.content]).rstrip():
        entries = entries.filter(content_text__contains=phrase)
    if target := padded([wanted.target]).strip():
        entries = entries.filter(target_text__contains=f" {target} ")
    if worker := padded([wanted.worker]).strip():
        entries = entries.filter(workers__contains=f" {worker} ")
    exact = {
        "source": wanted.source,
        "sentence__domain": wanted.domain,
        "sentence__partition": wanted.partition,
    }
    entries = entries.filter(**{name: value for name, value in exact.items() if value})
    if wanted.state:
        entries = entries.filter(_in_state(GoldState(wanted.state)))
    return entries


def _in_state(state: GoldState) -> Q:
    reviews = Review.objects.filter(gold=OuterRef("gold"))
    corrects = Exists(Review.objects.filter(correction=OuterRef("gold")))
    if state == GoldState.UNREVIEWED:
        return Q(~Exists(reviews)) & Q(~corrects)
    if state == GoldState.CORRECTED:
        return Q(corrects)
    review_state = {
        GoldState.WAITING: ReviewState.DRAWN,
        GoldState.CONFIRMED: ReviewState.CONFIRMED,
        GoldState.RETURNED: ReviewState.RETURNED,
    }[state]
    return Q(Exists(reviews.filter(state=review_state)))

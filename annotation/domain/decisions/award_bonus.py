"""Compute the bonus of submissions under their pay scheme."""

from collections.abc import Mapping, Sequence

from django.utils import translation
from django.utils.translation import gettext

from annotation.domain.publishing.publish import batch_terms
from annotation.models import Submission
from annotation.translated import translated
from crowd.domain.money.decide_assignment import BonusAward
from crowd.domain.money.pay_scheme import Terms, bonus_cents, explain_bonus
from crowd.domain.workers.languages import language_of
from projects.domain.schemes import scheme_of
from projects.enums import page_role


def units_of(submission: Submission) -> int:
    """Return the number of units that the submission's pay depends on."""
    content = scheme_of(submission.item.project).content
    return content.count_units(submission.content, page_role(submission.role))


def bonus_for(
    submissions: Sequence[Submission],
    *,
    units: Mapping[int, int] | None = None,
    terms: Terms | None = None,
) -> BonusAward | None:
    """Return the bonus under the pay scheme with its explanation, or None for no bonus.

    The explanation is in the worker's language.

    `units` replaces the number of units of each submission, by id, and `terms` those of the batch.
    """
    worker = submissions[0].worker if submissions else None
    with translation.override(language_of(worker)):
        return _bonus_for(submissions, units, terms)


def _bonus_for(
    submissions: Sequence[Submission], units: Mapping[int, int] | None, terms: Terms | None
) -> BonusAward | None:
    amount, reasons = 0, []
    for submission in submissions:
        if not submission.is_readable:
            continue
        assert submission.assignment
        own = terms or batch_terms(submission.assignment.hit.task.batch)
        unit = scheme_of(submission.item.project).vocabulary.unit
        number = units_of(submission) if units is None else units.get(submission.pk, 0)
        if bonus := bonus_cents(own, number):
            amount += bonus
            reasons.append(explain_bonus(own, number, translated(unit.count(number))))
    if not amount:
        return None
    reason = " ".join([gettext("Thank you!"), *reasons])
    return BonusAward(amount_cents=amount, reason=reason[:2000])

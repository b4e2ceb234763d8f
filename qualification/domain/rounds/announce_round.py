"""Tell invited workers that their round was published."""

from collections.abc import Mapping
from datetime import datetime

from django.utils import translation
from django.utils.translation import gettext, ngettext

from annotation.domain.publishing.announce_work import directions_to
from annotation.domain.publishing.publish import batch_terms
from crowd.domain.money.pay_scheme import Terms
from crowd.domain.workers.announce import announce, reachable
from crowd.domain.workers.languages import by_language
from crowd.models import Message, Worker
from projects.domain.schemes import scheme_of
from projects.models import Project
from qualification.models import Cohort, Enrolment
from web.money import dollars


def announce_cohort(
    *, cohort: Cohort, items_by_block: Mapping[int | None, int], now: datetime
) -> list[Message]:
    """Message each invited worker of the cohort, with the pay and the number of their items."""
    workers: dict[int, list[int]] = {}
    rows = Enrolment.objects.filter(cohort=cohort).values_list("block", "worker")
    for block, worker in rows:
        workers.setdefault(items_by_block[block], []).append(worker)
    messages = []
    for items, ids in sorted(workers.items()):
        invited = reachable(Worker.objects.filter(pk__in=ids)).order_by("pk")
        for language, group in by_language(invited).items():
            with translation.override(language):
                subject = gettext("Your tasks: %(title)s") % {"title": cohort.round.title}
                text = _text(cohort, items)
            messages += announce(
                budget=cohort.round.project.budget,
                workers=group,
                subject=subject,
                text=text,
                now=now,
            )
    return messages


def _text(cohort: Cohort, items: int) -> str:
    project, terms = cohort.round.project, batch_terms(cohort.batch)
    text = ngettext(
        "You are invited to “%(title)s” of the project “%(project)s”. It has %(count)s item, %(reward)s "
        "each, %(total)s in all.",
        "You are invited to “%(title)s” of the project “%(project)s”. It has %(count)s items, "
        "%(reward)s each, %(total)s in all.",
        items,
    ) % {
        "title": cohort.round.title,
        "project": project.title,
        "count": items,
        "reward": dollars(terms["reward_cents"]),
        "total": dollars(terms["reward_cents"] * items),
    }
    directions = directions_to(project, cohort.batch.title)
    return " ".join(filter(None, [text, _bonus(project, terms), directions]))


def _bonus(project: Project, terms: Terms) -> str:
    if not terms["bonus_first_cents"]:
        return ""
    values = {
        "unit": gettext(scheme_of(project).vocabulary.unit.singular),
        "free": terms["free_units"],
    }
    if not terms["free_units"]:
        return gettext("Each %(unit)s earns a bonus.") % values
    return (
        gettext("Each further %(unit)s after the first %(free)s of an item earns a bonus.") % values
    )

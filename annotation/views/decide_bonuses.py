"""Decisions on several held bonuses, which show their total and ask first."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.bonus_forms import DecideBonusesForm
from annotation.domain.decisions.decide_bonuses import (
    BonusGroup,
    chosen_bonuses,
    decide_bonuses,
    describe_codes,
    groups_of,
)
from annotation.enums import BonusDecision
from annotation.views.held_bonuses import HELD_BONUSES
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page


@require_POST
@project_page(STAFF)
def decide(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Confirm a decision on the selected bonuses with its total, then make it."""
    form = DecideBonusesForm(request.POST)
    if not form.is_valid():
        errors = [str(error) for errors in form.errors.values() for error in errors]
        messages.error(request, f"Nothing was changed: {' '.join(errors)}")
        return redirect("annotation:held_bonuses", slug=project.slug)
    data = form.cleaned_data
    decision = BonusDecision(data["decision"])
    bonuses = chosen_bonuses(project=project, ids=data["row"], groups=data["group"])
    groups = groups_of(bonuses)
    # It changes if somebody else decides meanwhile, if work arrives, or in a double click.
    seen = f"{len(bonuses)} {sum(group.cents for group in groups)}"
    if "confirmed" not in request.POST or data["seen"] != seen:
        context = _confirmation(project, decision, groups) | {"data": data, "seen": seen}
        return render_page(request, project, "annotation/decide_bonuses.html", context)
    outcome = decide_bonuses(
        bonuses=bonuses,
        decision=decision,
        text=data["text"],
        actor=request.user.get_username(),
        now=timezone.now(),
    )
    if outcome.done:
        made = "Accepted" if decision == BonusDecision.ACCEPT else "Declined"
        number = HELD_BONUSES.count(len(outcome.done))
        messages.success(request, f"{made}: {number}. The workers get a message.")
    for held, problem in outcome.failed:
        messages.error(request, f"Not changed, {held.payment.assignment.worker}: {problem}")
    return redirect("annotation:held_bonuses", slug=project.slug)


def _confirmation(
    project: Project, decision: BonusDecision, groups: list[BonusGroup]
) -> dict[str, object]:
    units = scheme_of(project).vocabulary.unit.plural
    count = sum(group.count for group in groups)
    return {
        "decision": decision,
        "groups": [(group, describe_codes(group.codes, units=units)) for group in groups],
        "count": count,
        "counted": HELD_BONUSES.count(count),
        "workers": len({group.worker for group in groups}),
        "cents": sum(group.cents for group in groups),
        "fee_cents": sum(group.fee_cents for group in groups),
    }

"""Pages that list held bonuses and accept or decline them."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.bonus_forms import AnswerAppealForm
from annotation.domain.decisions.appeal_bonus import open_appeals
from annotation.domain.decisions.award_bonus import units_of
from annotation.domain.decisions.bonus_timing import KEPT_SHARE, MAX_WAIT, RECORD_ITEMS
from annotation.domain.decisions.decide_bonuses import (
    describe_codes,
    held_in_groups,
    pay_waiting_work,
)
from annotation.domain.decisions.project_signals import signals_of
from annotation.domain.decisions.review_bonus import (
    accept_bonus,
    decline_bonus,
    submissions_of_held,
)
from annotation.domain.publishing.queries import held_bonuses_of, waiting_pay
from annotation.forms import AcceptBonusForm, DeclineBonusForm
from annotation.models import HeldBonus, Submission
from audit.domain.change_state import TransitionNotAllowedError
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_list
from projects.permissions import STAFF, project_page
from projects.protocols import TERMS
from schemes.contract.values import Noun
from web.lists import Column, Empty, Listing, money_column, time_column

PAGE_SIZE = 20
HELD_BONUSES = Noun("held bonus", "held bonuses")
WAITING_BONUSES = Noun("bonus", "bonuses")
WAITING_WORK = Noun("submission", "submissions")


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A held bonus with its work and forms."""

    held: HeldBonus
    submissions: list[Submission]
    accept: AcceptBonusForm
    decline: DeclineBonusForm


@require_GET
@project_page(STAFF)
def held_bonuses(request: HttpRequest, project: Project) -> HttpResponseBase:
    return list_held_bonuses(request, project)


def list_held_bonuses(
    request: HttpRequest,
    project: Project,
    refused: AcceptBonusForm | DeclineBonusForm | None = None,
    refused_pk: int = 0,
    *,
    refused_answer: AnswerAppealForm | None = None,
    refused_appeal: int = 0,
) -> HttpResponseBase:
    """Render the appeals and the held bonuses, with the form that was refused."""
    listing = Listing(
        request=request,
        name="held bonuses",
        rows=held_bonuses_of(project=project),
        columns=_columns(),
        count=HELD_BONUSES.count,
        order=("pk",),
        size=PAGE_SIZE,
        path=reverse("annotation:held_bonuses", args=[project.slug]),
        empty=Empty(
            "No held bonuses", "Bonuses that need a review before they are paid appear here."
        ),
    )
    rows = [_row(held, refused if held.pk == refused_pk else None) for held in listing.page_rows]
    status = 422 if refused or refused_answer else 200
    page = "annotation/held_bonuses.html"
    units = scheme_of(project).vocabulary.unit.plural
    groups = [
        (group, describe_codes(group.codes, units=units))
        for group in held_in_groups(project=project)
    ]
    appeals = [
        (appeal, refused_answer if appeal.pk == refused_appeal else AnswerAppealForm(key=appeal.pk))
        for appeal in open_appeals(project=project)[:PAGE_SIZE]
    ]
    waiting = waiting_pay(project=project)
    signals = signals_of(project)
    context = {
        "rows": rows,
        "evidence": {
            submission.pk: signals.evidence_of(submission.pk)
            for row in rows
            for submission in row.submissions
            if signals
        },
        "groups": groups,
        "appeals": appeals,
        "waiting": waiting,
        "waiting_cents": sum(row.bonus_cents + row.reward_cents for row in waiting),
        "has_waiting_work": any(row.work for row in waiting),
        "kept_share": f"{KEPT_SHARE:.0%}",
        "record_items": RECORD_ITEMS,
        "max_wait": MAX_WAIT,
        "done": TERMS[project.protocol].done,
        "units": units,
    }
    return render_list(request, project, page, listing, context, status=status)


def _columns() -> list[Column]:
    """Return the columns of the CSV file. The page shows the work itself."""

    def items(held: HeldBonus) -> str:
        return "; ".join(work.item.key for work in held.payment.assignment.submissions.all())

    return [
        Column("Items", items),
        Column("Role", lambda held: held.payment.assignment.hit.task.get_role_display()),
        Column("Worker", lambda held: held.payment.assignment.worker.pseudonym),
        money_column(
            "Bonus", lambda held: held.payment.amount_cents, order="payment__amount_cents"
        ),
        Column("Reasons", lambda held: " ".join(reason["text"] for reason in held.reasons)),
        time_column(
            "Submitted",
            lambda held: held.payment.assignment.submitted_at,
            order="payment__assignment__submitted_at",
        ),
    ]


def _row(held: HeldBonus, refused: AcceptBonusForm | DeclineBonusForm | None) -> HeldRow:
    submissions = list(held.payment.assignment.submissions.all())
    accept = refused if isinstance(refused, AcceptBonusForm) else _accept_form(held, submissions)
    decline = refused if isinstance(refused, DeclineBonusForm) else DeclineBonusForm(key=held.pk)
    return HeldRow(held, submissions, accept, decline)


def _accept_form(
    held: HeldBonus, submissions: list[Submission], data: object = None
) -> AcceptBonusForm:
    units = {row.pk: units_of(row) for row in submissions if row.is_readable}
    unit = scheme_of(held.project).vocabulary.unit
    return AcceptBonusForm(data, key=held.pk, units=units, unit=unit)


@require_POST
@project_page(STAFF)
def accept(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    held = _held(project, pk)
    form = _accept_form(held, submissions_of_held(held), request.POST)
    if not form.is_valid():
        return list_held_bonuses(request, project, form, pk)
    try:
        accept_bonus(
            held=held,
            units=form.accepted_units(),
            note=form.cleaned_data["note"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except TransitionNotAllowedError as error:
        messages.error(request, f"Nothing was changed: {error}")
    except ValueError as error:
        form.add_error(None, str(error))
        return list_held_bonuses(request, project, form, pk)
    else:
        worker = held.payment.assignment.worker
        messages.success(request, f"Accepted. {worker} will be paid and gets a message soon.")
    return redirect("annotation:held_bonuses", slug=project.slug)


@require_POST
@project_page(STAFF)
def decline(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    held = _held(project, pk)
    form = DeclineBonusForm(request.POST, key=held.pk)
    if not form.is_valid():
        return list_held_bonuses(request, project, form, pk)
    try:
        decline_bonus(
            held=held,
            reason=form.cleaned_data["reason"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except TransitionNotAllowedError as error:
        messages.error(request, f"Nothing was changed: {error}")
    else:
        worker = held.payment.assignment.worker
        messages.success(request, f"Declined. {worker} gets a message with the reason soon.")
    return redirect("annotation:held_bonuses", slug=project.slug)


@require_POST
@project_page(STAFF)
def pay_waiting(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Accept the work and pay the bonuses that wait for consolidation in full."""
    work, bonuses = pay_waiting_work(
        project=project, actor=request.user.get_username(), now=timezone.now()
    )
    texts = [WAITING_WORK.count(work)] if work else []
    texts += [WAITING_BONUSES.count(bonuses)] if bonuses or not work else []
    messages.success(request, f"{' and '.join(texts)} will be paid in full.")
    return redirect("annotation:held_bonuses", slug=project.slug)


def _held(project: Project, pk: int) -> HeldBonus:
    rows = HeldBonus.objects.select_related("project__budget", "payment__assignment__worker")
    return get_object_or_404(rows, project=project, pk=pk)

"""Pages that list a project's studies, and decide payments whose outcome is unknown."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.contrib import messages
from django.db.models import F
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.work.compensate import pay_empty_session
from annotation.models import Batch
from consolidation.forms import RejectSessionForm
from crowd.domain.money.ledger import BudgetExceededError
from crowd.domain.provider.providers import capabilities_of
from crowd.domain.sessions.publish_studies import hurry_study
from crowd.domain.sessions.refuse_sessions import (
    SessionDecisionError,
    refuse_session,
    sessions_to_decide,
)
from crowd.domain.sessions.session_rules import TIME_TO_RETURN
from crowd.domain.sessions.settle_sessions import SettlementError, resolve_settlement
from crowd.domain.sessions.study_figures import (
    MIN_SESSIONS,
    StudyFigures,
    failing_sessions,
    failing_settlements,
    figures_of_studies,
    settlements_of,
    studies_of,
    unknown_settlements,
    unusual_sessions,
)
from crowd.models import Study
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import STAFF, project_page
from projects.views.settings import actor_of
from schemes.contract.values import Noun
from web.badges import badge, badge_of
from web.lists import Column, Empty, Listing, money_column, number_column
from web.money import dollars
from web.states import Tone

MAX_ERRORS = 50
# How long a notice from the provider is shown.
NOTICE_SHOWN = timedelta(days=14)
STUDIES = Noun("study", "studies")
PROBLEM = '<span class="batch__problem">{} {}</span>'


@require_GET
@project_page(STAFF)
def studies(request: HttpRequest, project: Project) -> HttpResponseBase:
    budget = project.budget
    listing = Listing(
        request=request,
        name="studies",
        rows=studies_of(budget=budget),
        columns=_columns(project),
        count=STUDIES.count,
        load=_with_figures,
        empty=Empty("No studies yet", "Studies appear here when you publish items."),
    )
    context = {
        "waiting": studies_of(budget=budget).filter(waits_until__gt=timezone.now()),
        "unknown": unknown_settlements(budget=budget),
        "approval_days": capabilities_of(project.provider).override_days,
        "to_decide": sessions_to_decide(budget=budget, now=timezone.now())[:MAX_ERRORS],
        "unusual": unusual_sessions(budget=budget)[:MAX_ERRORS],
        "sessions": failing_sessions(budget=budget)[:MAX_ERRORS],
        "settlements": failing_settlements(budget=budget)[:MAX_ERRORS],
    }
    return render_list(request, project, "consolidation/studies.html", listing, context)


@dataclass(frozen=True, slots=True)
class StudyRow:
    figures: StudyFigures
    batches: list[Batch]

    @property
    def study(self) -> Study:
        return self.figures.study


def _with_figures(studies: list[Study]) -> list[StudyRow]:
    batches = batches_of(studies)
    return [StudyRow(figures, batches[figures.study.pk]) for figures in figures_of_studies(studies)]


def _columns(project: Project) -> list[Column]:
    def sessions(row: StudyRow) -> str:
        return ", ".join(f"{count} {label}" for label, count in row.figures.labels)

    def minutes(row: StudyRow) -> float | None:
        median = row.figures.median_minutes
        return None if median is None else round(median, 1)

    return [
        Column(
            "Study",
            lambda row: row.study.hit_type.title,
            lambda row: _study_cell(project, row),
            order="hit_type__title",
        ),
        Column(
            "State",
            lambda row: row.study.get_state_display(),
            lambda row: badge_of(row.study),
            order="state",
        ),
        Column(
            "Places taken",
            lambda row: row.figures.taken,
            lambda row: f"{row.figures.taken} of {row.study.places}",
            about="Returned and rejected sessions free their places.",
            is_number=True,
        ),
        Column("Sessions", sessions, lambda row: sessions(row) or "None yet"),
        number_column(
            "Median, min",
            minutes,
            about=f"The median time of finished sessions, from {MIN_SESSIONS} sessions on. "
            "Sessions of less than a tenth of the estimated time don't count.",
        ),
        money_column(
            "Hourly pay",
            lambda row: row.figures.hourly_cents,
            none=f"after {MIN_SESSIONS} sessions",
            about="The reward for the median time, without bonuses.",
        ),
        money_column(
            "Cost",
            lambda row: row.figures.cents,
            about="What was paid so far, with bonuses, fees and tax.",
        ),
    ]


def _study_cell(project: Project, row: StudyRow) -> SafeString:
    """Render the study's title with its batches and problems."""
    batches = format_html_join(
        ", ",
        '{}, <a href="{}">batch {}</a>',
        (
            (
                capfirst(batch.get_role_display()),
                reverse("consolidation:batch", args=[project.slug, batch.pk]),
                batch.pk,
            )
            for batch in row.batches
        ),
    )
    title, problems = row.study.hit_type.title, format_html_join("", PROBLEM, _problems(row))
    return format_html('{} <span class="small quiet">{}</span>{}', title, batches, problems)


def _problems(row: StudyRow) -> Iterator[tuple[SafeString, str]]:
    figures = row.figures
    if row.study.error:
        yield badge("failed", Tone.DANGER, "problem"), row.study.error
    notice, at = row.study.notice, row.study.noticed_at
    if at and notice != row.study.error and timezone.now() - at < NOTICE_SHOWN:
        yield badge("waiting", Tone.WAITING, f"reported {at:%-d %B, %H:%M} UTC"), notice
    if figures.pays_too_little:
        yield (
            badge("failed", Tone.DANGER, "low pay"),
            f"The median session pays {dollars(figures.hourly_cents)} an hour, and the minimum is "
            f"{dollars(figures.minimum_hourly_cents)}. Pause the batch and raise the reward, or the "
            "study may be stopped.",
        )


def batches_of(studies: Sequence[Study]) -> Mapping[int, list[Batch]]:
    """Return the batches whose HITs belong to each study, by its id."""
    batches: dict[int, list[Batch]] = defaultdict(list)
    rows = Batch.objects.filter(tasks__hit__study__in=studies).order_by("pk").distinct()
    for batch in rows.annotate(study=F("tasks__hit__study")):
        batches[batch.study].append(batch)
    return batches


@require_POST
@project_page(STAFF)
def publish_now(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Publish a place for the study's waiting work."""
    study = get_object_or_404(studies_of(budget=project.budget), pk=pk)
    hurry_study(study=study, actor=actor_of(request), now=timezone.now())
    messages.success(request, "The waiting tasks get a place within a minute.")
    return redirect("consolidation:studies", slug=project.slug)


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def decide_session(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Pay or reject a session in which no task was submitted."""
    session = get_object_or_404(
        sessions_to_decide(budget=project.budget, now=timezone.now()), pk=pk
    )
    form = RejectSessionForm(request.POST or None, provider=project.provider)
    if request.method == "GET" or ("pay" not in request.POST and not form.is_valid()):
        context = {
            "session": session,
            "form": form,
            "days_to_return": TIME_TO_RETURN.days,
        }
        page = "consolidation/decide_session.html"
        return render_page(request, project, page, context, status=422 if form.is_bound else 200)
    actor, now = actor_of(request), timezone.now()
    try:
        if "pay" in request.POST:
            pay_empty_session(session=session, actor=actor, now=now)
            messages.success(
                request, f"{dollars(session.study.reward_cents)} will be paid shortly."
            )
        else:
            reason = form.cleaned_data["reason"]
            refuse_session(session=session, reason=reason, actor=actor, now=now)
            messages.success(
                request, "The session will be rejected, unless the worker returns the place before."
            )
    except (BudgetExceededError, SessionDecisionError) as error:
        messages.error(request, f"Nothing was changed: {error}")
    return redirect("consolidation:studies", slug=project.slug)


@require_POST
@project_page(STAFF)
def resolve(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Confirm the decision on a payment of unknown outcome, then apply it."""
    settlement = get_object_or_404(settlements_of(budget=project.budget), pk=pk)
    was_paid = request.POST.get("was_paid") == "yes"
    if "confirmed" not in request.POST:
        context = {"settlement": settlement, "was_paid": was_paid}
        return render_page(request, project, "consolidation/settlement_confirm.html", context)
    try:
        resolve_settlement(
            settlement=settlement,
            was_paid=was_paid,
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except SettlementError as error:
        messages.error(request, f"Nothing was changed: {error}")
    else:
        done = "The bonus is booked as paid." if was_paid else "The bonus will be paid again."
        messages.success(request, done)
    return redirect("consolidation:studies", slug=project.slug)

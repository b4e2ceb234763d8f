"""The page of a round's workers, and decisions on several of them."""

from collections.abc import Callable, Mapping
from datetime import datetime

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET, require_POST

from audit.domain.change_state import TransitionNotAllowedError
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import ask_first, render_list
from projects.permissions import CAN_SEE_WORKERS, project_page
from projects.worker_names import named_link
from qualification.domain.pool.admit import AdmissionError, admit_worker, outsiders_of
from qualification.domain.rounds.queries import RoundOverviewRow, overview_rows, rounds_of
from qualification.domain.scores.figures import (
    SECONDS_PER_ITEM,
    UNITS_PER_ITEM,
    figure_at,
    heading_of,
)
from qualification.domain.training.bulk_feedback import conclude_all
from qualification.domain.training.conclude import has_unsent_feedback
from qualification.domain.training.decide import (
    Verdict,
    can_decide,
    effects_of_pass,
    following_round,
)
from qualification.domain.training.second_opinion import agreement_of, awaiting_opinion
from qualification.enums import EnrolmentState
from qualification.forms import VERDICTS, DecideForm, OverviewFilterForm
from qualification.models import Enrolment, Round
from qualification.templatetags.training import bars, one_decimal, shown, shown_value
from qualification.views.bulk_feedback import lines_of_plan
from schemes.contract.values import Noun
from schemes.figures import Figure
from web.badges import badge, badge_of, state_badge
from web.lists import Column, Empty, Listing
from web.states import Tone
from web.templatetags.web import seconds, when

WORKERS = Noun("worker", "workers")


@require_GET
@project_page(CAN_SEE_WORKERS)
def desk(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    form = OverviewFilterForm(request.GET)
    filters = form.cleaned_data if form.is_valid() else {}
    rows = {row.enrolment.pk: row for row in overview_rows(round=round, **filters)}
    listing = Listing(
        request=request,
        name="workers of the round",
        rows=Enrolment.objects.filter(pk__in=rows),
        columns=_columns(round, rows),
        count=WORKERS.count,
        order=("pk",),
        load=lambda enrolments: [rows[enrolment.pk] for enrolment in enrolments],
        is_filtered=any(filters.values()),
        bulk="qualification/fragments/decide.html",
        bulk_name="enrolment",
        empty=Empty(
            "No workers in this round yet",
            "Invite workers, or wait until workers pass the previous round.",
        ),
    )
    passed = round.enrolments.filter(state=EnrolmentState.PASSED).values_list("worker", flat=True)
    outsiders = outsiders_of(project=project, role=round.role, passed=list(passed))
    context = {
        # Without those who can't be admitted, for example because a later round declined them.
        "outsiders": [row for row in outsiders if not row.refusal or row.was_withdrawn],
        "effects": effects_of_pass(round),
        "following": following_round(round),
        "round": round,
        "states": _states(round),
        "agreement": agreement_of(round=round),
        "to_judge": awaiting_opinion(round=round, trainer=request.user).count(),
        "scheme": scheme_of(project),
        "form": form,
        "verdicts": VERDICTS,
        "replies": [row for row in rows.values() if row.feedback and row.feedback.replied_at],
        "changed": [row for row in rows.values() if row.changed_side is not None],
    }
    return render_list(request, project, "qualification/round.html", listing, context)


def _states(round: Round) -> list[tuple[str, SafeString, int]]:
    """Return the states of the round's workers, each with its badge and number of workers."""
    counts = dict(round.enrolments.order_by().values_list("state").annotate(n=Count("pk")))
    return [
        (state, state_badge(state), counts[state]) for state in EnrolmentState if state in counts
    ]


def _columns(round: Round, rows: Mapping[int, RoundOverviewRow]) -> list[Column]:
    scheme = scheme_of(round.project)
    main, units = scheme.comparison.figures[0], scheme.vocabulary.unit.plural.capitalize()

    def pseudonym(row: RoundOverviewRow) -> str:
        return row.enrolment.worker.pseudonym

    def worker_link(row: RoundOverviewRow) -> SafeString:
        args = [round.project.slug, round.pk, pseudonym(row)]
        return named_link(
            reverse("qualification:trainee", args=args),
            pseudonym(row),
            project=round.project,
            worker_id=row.enrolment.worker_id,
        )

    def by_item(row: RoundOverviewRow) -> list[float | None]:
        values: list[float | None] = row.figures.get("by_item", [])
        return values

    def rank(key: str) -> Callable[[int], float | None]:
        return lambda pk: figure_at(scheme, rows[pk].standing, key)

    return [
        Column("Worker", pseudonym, worker_link, order="worker__pseudonym"),
        *(_figure_column(figure, rank(figure.key)) for figure in scheme.comparison.figures),
        Column(
            f"{units} per item",
            lambda row: row.figures.get("units_per_item"),
            lambda row: one_decimal(row.figures.get("units_per_item")),
            order=rank(UNITS_PER_ITEM),
            is_number=True,
        ),
        Column(
            "Time per item",
            lambda row: row.figures.get("seconds_per_item"),
            lambda row: seconds(row.figures.get("seconds_per_item")) or "–",
            order=rank(SECONDS_PER_ITEM),
            is_number=True,
        ),
        Column(
            "State",
            lambda row: row.enrolment.get_state_display(),
            lambda row: badge_of(row.enrolment),
            order="state",
        ),
        Column(
            f"{heading_of(main)}, item by item",
            lambda row: ", ".join(shown_value(value, main) for value in by_item(row)),
            lambda row: bars(by_item(row), main.label) or "–",
        ),
        Column("Suggested", _suggestion, _suggestion_cell),
        Column("Feedback", lambda row: _feedback(row)[0], _feedback_cell),
    ]


def _figure_column(figure: Figure, rank: Callable[[int], float | None]) -> Column:
    def cell(row: RoundOverviewRow) -> SafeString | str:
        automatic = shown(row.figures, figure)
        if row.evaluation is None or not row.evaluation.corrected_figures:
            return automatic
        corrected = shown(row.standing, figure)
        return format_html('{} <span class="corrected">{} corrected</span>', automatic, corrected)

    return Column(
        heading_of(figure),
        lambda row: shown(row.standing, figure),
        cell,
        order=rank,
        about=figure.explanation,
        is_number=True,
    )


def _suggestion(row: RoundOverviewRow) -> str:
    is_unfinished = row.evaluation is not None and row.evaluation.so_far
    return ", ".join(filter(None, [row.suggestion, "in progress" * is_unfinished, *row.flags]))


def _suggestion_cell(row: RoundOverviewRow) -> SafeString | str:
    is_unfinished = row.evaluation is not None and row.evaluation.so_far
    flags = format_html_join(
        " ", "{}", ((badge("rejected", Tone.DANGER, flag),) for flag in row.flags)
    )
    text = "in progress" if is_unfinished else row.suggestion
    return format_html("{} {}", text, flags) if text or flags else "–"


def _feedback(row: RoundOverviewRow) -> tuple[str, datetime | None]:
    """Return what has happened to the newest feedback, and when."""
    if row.feedback is None:
        return "none", None
    if row.feedback.acknowledged_at:
        return "read", row.feedback.acknowledged_at
    return ("sent", row.feedback.sent_at) if row.feedback.sent_at else ("draft", None)


def _feedback_cell(row: RoundOverviewRow) -> SafeString:
    text, at = _feedback(row)
    return format_html("{} {}", text, when(at))


@require_POST
@project_page(CAN_SEE_WORKERS)
def decide(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    enrolments = {
        enrolment.pk: enrolment for enrolment in round.enrolments.select_related("worker")
    }
    form = DecideForm(request.POST, choices=list(enrolments))
    back = redirect("qualification:round", slug=project.slug, pk=pk)
    if not form.is_valid():
        problem = " ".join(str(error) for errors in form.errors.values() for error in errors)
        messages.error(request, f"No decision was made. {problem}")
        return back

    chosen = [enrolments[int(pk)] for pk in form.cleaned_data["enrolment"]]
    verdict = Verdict(form.cleaned_data["verdict"])
    if impossible := [row for row in chosen if not can_decide(row, verdict)]:
        names = ", ".join(
            f"{row.worker.pseudonym} ({row.get_state_display()})" for row in impossible
        )
        messages.error(
            request, f"No decision was made. It isn't possible for {names}. Clear their boxes."
        )
        return back
    if confirmation := _ask_first(request, round, chosen, verdict, form.cleaned_data["sends"]):
        return confirmation
    try:
        moved = conclude_all(
            enrolments=chosen,
            verdict=verdict,
            reason=form.cleaned_data["reason"],
            sends=form.cleaned_data["sends"],
            trainer=request.user,
            now=timezone.now(),
        )
    except TransitionNotAllowedError as error:
        messages.error(request, f"No decision was made: {error}")
    else:
        messages.success(request, f"Decided on {WORKERS.count(moved)}. Each receives a message.")
    return back


_OUTCOMES = {
    Verdict.PASS: "They receive a message.",
    Verdict.REPEAT: "Their work in the round is set aside. They receive a message.",
    Verdict.DECLINE: "Their qualifications for the round are withdrawn. They receive a message.",
    Verdict.WITHDRAW: "Their qualifications for the round are withdrawn. No message is sent.",
}


def _ask_first(
    request: HttpRequest, round: Round, chosen: list[Enrolment], verdict: Verdict, sends: bool
) -> HttpResponse | None:
    """Return a page that names the workers and the outcome, or None if it is confirmed."""
    count, title = WORKERS.count(len(chosen)), dict(VERDICTS)[verdict]
    names = ", ".join(sorted(enrolment.worker.pseudonym for enrolment in chosen))
    consequences = [f"{names}.", _OUTCOMES[verdict]]
    if verdict == Verdict.PASS:
        consequences += effects_of_pass(round)
    unsent = sum(has_unsent_feedback(enrolment) for enrolment in chosen)
    if sends:
        consequences += [f"Feedback to {line}" for line in lines_of_plan(chosen)]
    elif unsent and verdict != Verdict.WITHDRAW:
        consequences.append(f"No feedback is sent: {WORKERS.count(unsent)} will not see theirs.")
    return ask_first(
        request,
        round.project,
        title=f"{title}: {count} of {round.title}?",
        consequences=consequences,
        button=f"{title}: {count}",
        back=reverse("qualification:round", args=[round.project.slug, round.pk]),
        spends=verdict in (Verdict.PASS, Verdict.REPEAT),
    )


@require_POST
@project_page(CAN_SEE_WORKERS)
def admit(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Admit the selected workers who passed, or else all of them, to the pool."""
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    back = reverse("qualification:round", args=[project.slug, pk])
    passed = round.enrolments.filter(state=EnrolmentState.PASSED).select_related("worker")
    selected = [pk for pk in request.POST.getlist("enrolment") if pk.isdecimal() and len(pk) < 19]
    if selected:
        passed = passed.filter(pk__in=selected)
    workers = [enrolment.worker for enrolment in passed.order_by("pk")]
    if not workers:
        messages.error(request, "No worker was admitted. Select workers who passed the round.")
        return redirect(back)
    count = WORKERS.count(len(workers))
    if confirmation := ask_first(
        request,
        project,
        title=f"Admit {count} to the pool?",
        consequences=[
            f"{', '.join(sorted(worker.pseudonym for worker in workers))}.",
            "They can do work that is published to the pool, and receive a message.",
        ],
        button=f"Admit {count}",
        back=back,
        spends=True,
    ):
        return confirmation
    actor, now, admitted = request.user.get_username(), timezone.now(), 0
    for worker in workers:
        try:
            admitted += admit_worker(
                project=project, worker=worker, role=round.role, actor=actor, now=now
            )
        except AdmissionError as error:
            messages.error(request, f"Not admitted: {error}")
    messages.success(request, f"{WORKERS.count(admitted)} admitted to the pool.")
    return redirect(back)

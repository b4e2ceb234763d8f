"""Pages of a project's workers, by pseudonym."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.corpus.item_context import headline_of
from annotation.domain.decisions.project_signals import signals_of
from annotation.domain.publishing.qualification_codes import qualifications_of
from annotation.domain.publishing.queries import (
    Work,
    WorkerFigures,
    known_workers,
    newest_payments,
    submissions_of,
    work_of_everyone,
    workers_of,
)
from annotation.domain.work.compensate import compensation_cents, publish_compensation
from annotation.models import Submission, WorkerNote
from crowd.domain.money.ledger import BudgetExceededError
from crowd.domain.workers.register_worker import is_forgotten
from crowd.models import Worker
from datasets.domain.costs.cost_figures import hourly_cents
from projects.definitions import DEFINITIONS
from projects.domain.cached_figures import figures_of
from projects.domain.label_worker import label_worker, tagged, tags_of, workers_named
from projects.enums import Role
from projects.models import Project
from projects.pages import ask_first, render_list, render_page
from projects.permissions import ADMINS, CAN_SEE_WORKERS, STAFF, pages_open_to, project_page
from projects.worker_names import named_link
from qualification.domain.pool.admit import AdmissionError, Standing, admit_worker, standings_of
from qualification.domain.pool.erase_worker import (
    Erasure,
    ErasureError,
    erase_worker,
    open_obligations,
    projects_of_others,
    withdraw_everything,
)
from qualification.domain.training.threads import thread_of
from qualification.enums import EnrolmentState
from qualification.models import Enrolment
from qualification.worker_forms import (
    CompensateForm,
    EraseForm,
    LabelForm,
    NoteForm,
    WorkerFilterForm,
)
from schemes.contract.values import Noun
from web.badges import badge, badge_of
from web.lists import Column, Empty, Listing, link, money_column, number_column, time_column
from web.money import dollars
from web.states import Tone
from web.templatetags.web import seconds

SUBMISSIONS, WORKERS = Noun("submission", "submissions"), Noun("worker", "workers")

MESSAGES_SHOWN = 10
EVIDENCE_SHOWN = 10
ACTIONS = "qualification/fragments/worker_actions.html"


@require_GET
@project_page(CAN_SEE_WORKERS)
def workers(request: HttpRequest, project: Project) -> HttpResponseBase:
    cached, may = (
        figures_of(work_of_everyone, project=project),
        pages_open_to(request.user, project),
    )
    form = WorkerFilterForm(request.GET, tags=tags_of(project))
    wanted = form.cleaned_data if form.is_valid() else {}
    rows = workers_of(project=project)
    if text := wanted.get("text", "").strip():
        named = workers_named(project=project, text=text)
        rows = rows.filter(Q(pseudonym__icontains=text) | Q(pk__in=named))
    if tag := wanted.get("tag", ""):
        rows = rows.filter(pk__in=tagged(project=project, tag=tag))
    listing = Listing(
        request=request,
        name="workers",
        rows=rows,
        columns=_columns(project, cached.value),
        is_filtered=any(wanted.values()),
        count=WORKERS.count,
        counted_at=cached.counted_at,
        bulk=ACTIONS if "qualification:message_workers" in may else "",
        empty=Empty(
            "No workers yet",
            "Workers appear with their first submission. Publish items or a training round to get some.",
        ),
    )
    return render_list(request, project, "qualification/workers.html", listing, {"form": form})


def _columns(project: Project, work: Mapping[int, Work]) -> list[Column]:
    def figures(pk: int) -> WorkerFigures:
        return work.get(pk, Work()).production

    def count(heading: str, name: str) -> Column:
        def rank(pk: int) -> int:
            value: int = getattr(figures(pk), name)
            return value

        return number_column(heading, lambda row: rank(row.pk), order=rank)

    def training(pk: int) -> int:
        return work.get(pk, Work()).training.submissions

    def earned(pk: int) -> int:
        return work.get(pk, Work()).earned_cents

    def hourly(pk: int) -> float | None:
        return hourly_cents(figures(pk).earned_cents, figures(pk).active_seconds)

    def hourly_cell(row: Worker) -> SafeString | str:
        cents = hourly(row.pk)
        if cents is None:
            return "–"
        if cents >= (project.minimum_hourly_cents or 0):
            return dollars(cents)
        low = badge("failed", Tone.DANGER, f"below {dollars(project.minimum_hourly_cents)}")
        return format_html("{} {}", dollars(cents), low)

    return [
        Column(
            "Worker",
            lambda row: row.pseudonym,
            lambda row: named_link(
                reverse("qualification:worker", args=[project.slug, row.pseudonym]),
                row.pseudonym,
                project=project,
                worker_id=row.pk,
            ),
            order="pseudonym",
        ),
        count("Submissions", "submissions"),
        count("Accepted", "accepted"),
        count("Rejected", "rejected"),
        number_column(
            "Training",
            lambda row: training(row.pk),
            order=training,
            about="Submissions in training rounds. Their pay is part of Earned. All other columns are "
            "about production.",
        ),
        money_column(
            "Earned",
            lambda row: earned(row.pk),
            order=earned,
            about="Confirmed payments for production, training and compensation, without fees.",
        ),
        Column(
            "Mean time",
            lambda row: figures(row.pk).mean_seconds,
            lambda row: seconds(figures(row.pk).mean_seconds) or "–",
            order=lambda pk: figures(pk).mean_seconds,
            about="Active time per submission.",
            is_number=True,
        ),
        replace(
            money_column("Per hour", lambda row: hourly(row.pk), order=hourly),
            cell=hourly_cell,
            about=DEFINITIONS["hourly_pay"].text,
        ),
    ]


@require_GET
@project_page(CAN_SEE_WORKERS)
def worker(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    person = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    return _worker_page(request, project, person)


def _worker_page(
    request: HttpRequest, project: Project, person: Worker, status: int = 200, **more: Any
) -> HttpResponseBase:
    work = figures_of(work_of_everyone, project=project)
    own = submissions_of(project=project).filter(worker=person)
    own = own.defer("content", "other_version", "assignment__answer")  # large, and not displayed
    figures: Work = work.value.get(person.pk, Work())
    kinds = (("production_work", figures.production), ("training_work", figures.training))
    listing = Listing(
        request=request,
        name=f"submissions of {person.pseudonym}",
        rows=own,
        columns=_submission_columns(project),
        count=SUBMISSIONS.count,
        empty=Empty("No submissions yet", "The worker's submissions appear here."),
    )
    context = {
        "worker": person,
        "kinds": [
            (name, kind, hourly_cents(kind.earned_cents, kind.active_seconds))
            for name, kind in kinds
        ],
        "cached": work,
        **_signals_of(project, person),
        "payments": newest_payments(project=project, worker=person),
        "grants": person.grants.filter(
            qualification_type__in=qualifications_of(project).values("pk")
        ).select_related("qualification_type"),
        "standings": standings_for_page(project, person),
        "entries": thread_of(project=project, worker=person)[:MESSAGES_SHOWN],
        "notes": person.notes.filter(project=project).select_related("author"),
        "note_form": NoteForm(),
        "label_form": LabelForm.of(project.labels_by_worker.get(person.pk)),
        "forget_form": EraseForm(),
        "matters": open_obligations(person),
        "forgotten": is_forgotten(person),
    }
    shown = {**context, **more}
    return render_list(request, project, "qualification/worker.html", listing, shown, status=status)


def _signals_of(project: Project, person: Worker) -> dict[str, Any]:
    """Return the worker's signals beside those of all workers, and the newest submissions with some."""
    signals = signals_of(project)
    if signals is None:
        return {}
    shown = submissions_of(project=project).filter(worker=person, pk__in=signals.by_submission)
    newest = shown.defer("content", "other_version", "assignment__answer", "log", "inputs")
    return {
        "signals": signals.by_worker.get(person.pk),
        "signal_rows": signals.rows_of(person.pk),
        "evidence": [
            (row, headline_of(row.item, project), signals.evidence_of(row.pk))
            for row in newest[:EVIDENCE_SHOWN]
        ],
    }


def standings_for_page(project: Project, person: Worker) -> list[Standing]:
    """Return the worker's standing for generators and for each role that has training rounds."""
    roles = {Role.GENERATOR, *project.rounds.values_list("role", flat=True)}
    return [
        standings_of(project=project, role=role, workers=[person.pk])[person.pk]
        for role in sorted(roles, reverse=True)
    ]


@require_POST
@project_page(CAN_SEE_WORKERS)
def admit_to_pool(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    """Admit a worker to the pool of the posted role, after a confirmation."""
    person = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    back = reverse("qualification:worker", args=[project.slug, pseudonym])
    role = request.POST.get("role", "")
    chosen = [row for row in standings_for_page(project, person) if row.role == role]
    if not chosen:
        raise Http404(f"no pool for {role}")
    [standing] = chosen
    if standing.is_member:
        messages.info(request, f"{pseudonym} is in the pool already.")
        return redirect(back)
    if standing.refusal and not standing.was_withdrawn:
        messages.error(request, f"Not admitted: {standing.refusal}")
        return redirect(back)
    if confirmation := ask_first(
        request,
        project,
        title=f"Admit {pseudonym} to the pool of {role}s?",
        consequences=_consequences(project, standing),
        button=f"Admit {pseudonym}",
        back=back,
        spends=True,
    ):
        return confirmation
    try:
        admit_worker(
            project=project,
            worker=person,
            role=role,
            actor=request.user.get_username(),
            now=timezone.now(),
            again=True,
        )
    except AdmissionError as error:
        messages.error(request, f"Not admitted: {error}")
    else:
        messages.success(request, f"{pseudonym} is in the pool.")
    return redirect(back)


def _consequences(project: Project, standing: Standing) -> list[str]:
    """Describe the admission, and what speaks against it."""
    passed = Enrolment.objects.filter(
        round__project=project,
        round__role=standing.role,
        worker=standing.worker,
        state=EnrolmentState.PASSED,
    )
    return [
        "The worker can do work that is published to the pool, and receives a message.",
        *([standing.refusal] if standing.refusal else []),
        *([] if passed.exists() else [f"The worker has passed no round for {standing.role}s."]),
    ]


def _submission_columns(project: Project) -> list[Column]:
    def headline(row: Submission) -> str:
        return headline_of(row.item, project)

    def item_link(row: Submission) -> SafeString:
        return link(reverse("consolidation:item", args=[project.slug, row.item_id]), headline(row))

    return [
        Column("Item", headline, item_link),
        Column("Role", lambda row: row.get_role_display(), order="role"),
        Column("State", lambda row: row.get_state_display(), badge_of, order="state"),
        Column(
            "Active time",
            lambda row: row.active_seconds,
            lambda row: seconds(row.active_seconds),
            order="active_seconds",
            about=DEFINITIONS["active_time"].text,
            is_number=True,
        ),
        time_column("Submitted", lambda row: row.submitted_at, order="submitted_at"),
    ]


@require_POST
@project_page(CAN_SEE_WORKERS)
def worker_note(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    """Save a note about a worker, for colleagues."""
    person = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    form = NoteForm(request.POST)
    if not form.is_valid():
        return _worker_page(request, project, person, status=422, note_form=form)
    assert request.user.pk
    WorkerNote.objects.create(
        project=project,
        worker=person,
        author_id=request.user.pk,
        text=form.cleaned_data["text"],
        written_at=timezone.now(),
    )
    return redirect("qualification:worker", slug=project.slug, pseudonym=pseudonym)


@require_POST
@project_page(CAN_SEE_WORKERS)
def worker_label(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    """Save the nickname and tags of a worker, for colleagues."""
    person = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    form = LabelForm(request.POST)
    if not form.is_valid():
        return _worker_page(request, project, person, status=422, label_form=form)
    label_worker(project=project, worker=person, **form.cleaned_data)
    messages.success(request, "Saved.")
    return redirect("qualification:worker", slug=project.slug, pseudonym=pseudonym)


@require_POST
@project_page(ADMINS)
def erase_worker_page(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    """Pseudonymise or erase a worker, or first revoke their qualifications."""
    person = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    form = EraseForm(request.POST)
    now, actor, everything = timezone.now(), request.user.get_username(), Project.objects.all()
    if form.is_valid() and (
        elsewhere := projects_of_others(worker=person, user=request.user, projects=everything)
    ):
        form.add_error(
            "how",
            f"This worker has worked in {elsewhere} projects of which you are not an admin. An admin of "
            "all of them has to do this.",
        )
    if form.is_valid():
        how, reason = Erasure(form.cleaned_data["how"]), form.cleaned_data["reason"]
        if "withdraw" in request.POST:
            count = withdraw_everything(worker=person, reason=reason, now=now)
            messages.success(request, f"{count} qualifications are being withdrawn.")
            return redirect("qualification:worker", slug=project.slug, pseudonym=pseudonym)
        try:
            row = erase_worker(worker=person, how=how, reason=reason, actor=actor, now=now)
        except ErasureError as error:
            form.add_error("how", str(error))
        else:
            messages.success(request, f"Done. Their work is now attributed to {row.pseudonym}.")
            return redirect("qualification:worker", slug=project.slug, pseudonym=row.pseudonym)
    return _worker_page(request, project, person, status=422, forget_form=form)


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def compensate(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    """Ask for an amount and a purpose, show the cost for confirmation, then publish a HIT."""
    person = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    posted = request.method == "POST"
    form = CompensateForm(request.POST) if posted else CompensateForm(initial=request.GET.dict())
    context = {
        "worker": person,
        "form": form,
        "budget": project.budget,
        "compensations": project.compensations.filter(worker=person)
        .select_related("hit__hit_type")
        .order_by("-pk")[:50],
    }
    page = "annotation/compensate.html"
    if not form.is_valid():
        return render_page(request, project, page, context, status=422 if posted else 200)
    cents = form.cents()
    context |= {"cents": cents, "cost": compensation_cents(cents, provider=project.provider)}
    if "confirmed" not in request.POST:
        return render_page(request, project, "annotation/compensate_confirm.html", context)
    try:
        publish_compensation(
            project=project,
            worker=person,
            amount_cents=cents,
            reason=form.cleaned_data["reason"],
            key=form.cleaned_data["key"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except (BudgetExceededError, ValueError) as error:
        form.add_error(None, str(error))
        return render_page(request, project, page, context, status=422)
    made = f"A {project.hit_noun} only for {person.pseudonym} is being created."
    notice = f"{made} It pays {dollars(cents)}."
    messages.success(request, notice)
    return redirect("qualification:compensate", slug=project.slug, pseudonym=pseudonym)

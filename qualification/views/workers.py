"""Pages of a project's workers, by pseudonym."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.compensate import compensation_cents, publish_compensation
from annotation.domain.item_context import headline_of
from annotation.domain.qualification_codes import qualifications_of
from annotation.domain.queries import (
    Work,
    known_workers,
    newest_payments,
    submissions_of,
    work_of_everyone,
    workers_of,
)
from annotation.models import WorkerNote
from crowd.domain.ledger import BudgetExceededError
from crowd.domain.register_worker import is_forgotten
from crowd.models import Worker
from datasets.domain.cost_figures import hourly_cents
from projects.domain.cached_figures import figures_of
from projects.enums import MemberRole
from projects.models import Project
from projects.pages import query_without_page, render_page
from projects.permissions import ADMINS, CAN_SEE_WORKERS, STAFF, project_page
from qualification.domain.erase_worker import (
    Erasure,
    ErasureError,
    erase_worker,
    open_obligations,
    withdraw_everything,
)
from qualification.worker_forms import CompensateForm, EraseForm, NoteForm
from web.money import dollars
from web.paging import page_of

MESSAGES_SHOWN = 20


@require_GET
@project_page(CAN_SEE_WORKERS)
def workers(request: HttpRequest, project: Project) -> HttpResponse:
    page = page_of(workers_of(project=project), cursor=request.GET.get("page", ""), by=("-pk",))
    cached = figures_of(work_of_everyone, project=project)
    rows = [{"worker": row, **_row(cached.value.get(row.pk, Work()))} for row in page.rows]
    context = {"page": page, "rows": rows, "cached": cached, "query": query_without_page(request)}
    fragment = "qualification/fragments/workers.html"
    return render_page(request, project, "qualification/workers.html", context, fragment=fragment)


def _row(work: Work) -> dict[str, Any]:
    """Return the worker's figures in production, and those of training."""
    production = work.production
    hourly = hourly_cents(production.earned_cents, production.active_seconds)
    return {
        "figures": production,
        "earned": production.earned_cents,
        "hourly": hourly,
        "training": work.training,
    }


@require_GET
@project_page(CAN_SEE_WORKERS)
def worker(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponse:
    person = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    return _worker_page(request, project, person)


def _worker_page(
    request: HttpRequest, project: Project, person: Worker, status: int = 200, **more: Any
) -> HttpResponse:
    work = figures_of(work_of_everyone, project=project)
    own = submissions_of(project=project).filter(worker=person)
    own = own.defer("content", "other_version", "assignment__answer")  # large, and not displayed
    page = page_of(own, cursor=request.GET.get("page", ""), by=("-pk",))
    figures: Work = work.value.get(person.pk, Work())
    kinds = (("production_work", figures.production), ("training_work", figures.training))
    context = {
        "worker": person,
        "kinds": [
            (name, kind, hourly_cents(kind.earned_cents, kind.active_seconds))
            for name, kind in kinds
        ],
        "cached": work,
        "page": page,
        "rows": [
            {"submission": row, "headline": headline_of(row.item, project)} for row in page.rows
        ],
        "payments": newest_payments(project=project, worker=person),
        "query": query_without_page(request),
        "grants": person.grants.filter(
            qualification_type__in=qualifications_of(project).values("pk")
        ).select_related("qualification_type"),
        "messages_sent": person.messages.filter(budget=project.budget_id).order_by("-pk")[
            :MESSAGES_SHOWN
        ],
        "notes": person.notes.filter(project=project).select_related("author"),
        "note_form": NoteForm(),
        "forget_form": EraseForm(),
        "matters": open_obligations(person),
        "forgotten": is_forgotten(person),
    }
    return render_page(
        request, project, "qualification/worker.html", {**context, **more}, status=status
    )


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
@project_page(ADMINS)
def erase_worker_page(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    """Pseudonymise or erase a worker, or first revoke their qualifications."""
    person = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    form = EraseForm(request.POST)
    now, actor = timezone.now(), request.user.get_username()
    if form.is_valid() and (elsewhere := _projects_of_others(request, person)):
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


def _projects_of_others(request: HttpRequest, person: Worker) -> int:
    """Return the number of the worker's projects of which the user is not an admin."""
    worked = Project.objects.filter(items__submissions__worker=person).distinct()
    if request.user.is_superuser:
        return 0
    own = {"memberships__user": request.user.pk, "memberships__role": MemberRole.ADMIN}
    return worked.exclude(pk__in=Project.objects.filter(**own).values("pk")).count()


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
    notice = f"A HIT only for {person.pseudonym} is being created. It pays {dollars(cents)}."
    messages.success(request, notice)
    return redirect("qualification:compensate", slug=project.slug, pseudonym=pseudonym)

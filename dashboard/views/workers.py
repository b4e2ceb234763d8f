"""The people who worked on a project, by their pseudonyms."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.compensate import compensation_cents, offer_compensation
from annotation.domain.kept_figures import figures_of
from annotation.domain.qualification_codes import qualifications_of
from annotation.domain.queries import (
    Work,
    known_workers,
    newest_payments,
    submissions_of,
    work_of_everyone,
    workers_of,
)
from annotation.enums import MemberRole
from annotation.models import Project, WorkerNote
from annotation.permissions import project_page
from crowd.domain.ledger import BudgetExceeded
from crowd.domain.register_worker import is_forgotten
from crowd.models import Worker
from dashboard.cost_figures import hourly_cents
from dashboard.forms.workers import CompensateForm, ForgetForm, NoteForm
from dashboard.pages import query_without_page, render_page
from dashboard.paging import page_of
from dashboard.templatetags.dashboard import dollars
from qualification.domain.forget_person import (
    CanNotForget,
    Forgetting,
    forget_person,
    open_matters,
    withdraw_everything,
)
from schemes.registry import get_scheme

MESSAGES_SHOWN = 20


@require_GET
@project_page
def workers(request: HttpRequest, project: Project) -> HttpResponse:
    page = page_of(workers_of(project=project), cursor=request.GET.get("page", ""), by=("-pk",))
    kept = figures_of(work_of_everyone, project=project)
    rows = [{"worker": one, **_row(kept.value.get(one.pk, Work()))} for one in page.rows]
    context = {"page": page, "rows": rows, "kept": kept, "query": query_without_page(request)}
    return render_page(
        request,
        project,
        "dashboard/workers.html",
        context,
        fragment="dashboard/fragments/workers.html",
    )


def _row(work: Work) -> dict[str, Any]:
    hourly = hourly_cents(work.earned_cents, work.figures.active_seconds)
    return {"figures": work.figures, "earned": work.earned_cents, "hourly": hourly}


@require_GET
@project_page
def worker(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponse:
    found = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    return _worker_page(request, project, found)


def _worker_page(
    request: HttpRequest, project: Project, found: Worker, status: int = 200, **more: Any
) -> HttpResponse:
    work = figures_of(work_of_everyone, project=project)
    own = submissions_of(project=project).filter(worker=found)
    own = own.defer("content", "other_copy", "assignment__answer")  # long, and not shown
    page = page_of(own, cursor=request.GET.get("page", ""), by=("-pk",))
    scheme = get_scheme(project.scheme)
    context = {
        "worker": found,
        **_row(work.value.get(found.pk, Work())),
        "kept": work,
        "page": page,
        "rows": [
            {
                "submission": one,
                "headline": scheme.headline(one.item.sentence.tokens, one.item.target),
            }
            for one in page.rows
        ],
        "payments": newest_payments(project=project, worker=found),
        "query": query_without_page(request),
        "grants": found.grants.filter(
            qualification_type__in=qualifications_of(project).values("pk")
        ).select_related("qualification_type"),
        "messages_sent": found.messages.filter(budget=project.budget_id).order_by("-pk")[
            :MESSAGES_SHOWN
        ],
        "notes": found.notes.filter(project=project).select_related("author"),
        "note_form": NoteForm(),
        "forget_form": ForgetForm(),
        "matters": open_matters(found),
        "forgotten": is_forgotten(found),
    }
    return render_page(
        request, project, "dashboard/worker.html", {**context, **more}, status=status
    )


@require_POST
@project_page
def worker_note(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    """Write something down about a worker, for colleagues."""
    found = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    form = NoteForm(request.POST)
    if not form.is_valid():
        return _worker_page(request, project, found, status=422, note_form=form)
    assert request.user.pk
    WorkerNote.objects.create(
        project=project,
        worker=found,
        author_id=request.user.pk,
        text=form.cleaned_data["text"],
        written_at=timezone.now(),
    )
    return redirect("dashboard:worker", slug=project.slug, pseudonym=pseudonym)


@require_POST
@project_page
def worker_forget(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    """Pseudonymise or erase a person who has asked for it, or first withdraw what they hold."""
    found = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    form = ForgetForm(request.POST)
    now, actor = timezone.now(), request.user.get_username()
    if form.is_valid() and (elsewhere := _projects_of_others(request, found)):
        form.add_error(
            "how",
            f"They have worked in {elsewhere} projects where you are no admin; an admin of all of them "
            "has to do this.",
        )
    if form.is_valid() and "withdraw" in request.POST:
        count = withdraw_everything(worker=found, reason=form.cleaned_data["reason"], now=now)
        messages.success(request, f"{count} qualifications are being withdrawn.")
        return redirect("dashboard:worker", slug=project.slug, pseudonym=pseudonym)
    if form.is_valid():
        try:
            row = forget_person(
                worker=found,
                how=Forgetting(form.cleaned_data["how"]),
                reason=form.cleaned_data["reason"],
                actor=actor,
                now=now,
            )
        except CanNotForget as error:
            form.add_error("how", str(error))
        else:
            messages.success(request, f"Done. Their work stays, as that of {row.pseudonym}.")
            return redirect("dashboard:worker", slug=project.slug, pseudonym=row.pseudonym)
    return _worker_page(request, project, found, status=422, forget_form=form)


def _projects_of_others(request: HttpRequest, found: Worker) -> int:
    """In how many projects the person has worked of which the user is no admin."""
    worked = Project.objects.filter(items__submissions__worker=found).distinct()
    if request.user.is_superuser:
        return 0
    own = {"memberships__user": request.user.pk, "memberships__role": MemberRole.ADMIN}
    return worked.exclude(pk__in=Project.objects.filter(**own).values("pk")).count()


@require_http_methods(["GET", "POST"])
@project_page
def compensate(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    """Ask how much and for what; then show what that costs with the fee and ask again; then offer it."""
    found = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    posted = request.method == "POST"
    form = CompensateForm(request.POST) if posted else CompensateForm(initial=request.GET.dict())
    context = {
        "worker": found,
        "form": form,
        "budget": project.budget,
        "compensations": project.compensations.filter(worker=found)
        .select_related("hit__hit_type")
        .order_by("-pk")[:50],
    }
    page = "dashboard/compensate.html"
    if not form.is_valid():
        return render_page(request, project, page, context, status=422 if posted else 200)
    cents = form.cents()
    context |= {"cents": cents, "cost": compensation_cents(cents)}
    if "confirmed" not in request.POST:
        return render_page(request, project, "dashboard/compensate_confirm.html", context)
    try:
        offer_compensation(
            project=project,
            worker=found,
            amount_cents=cents,
            reason=form.cleaned_data["reason"],
            key=form.cleaned_data["key"],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except (BudgetExceeded, ValueError) as error:
        form.add_error(None, str(error))
        return render_page(request, project, page, context, status=422)
    told = f"A HIT for {found.pseudonym} alone is being made; it pays {dollars(cents)}."
    messages.success(request, told)
    return redirect("dashboard:compensate", slug=project.slug, pseudonym=pseudonym)

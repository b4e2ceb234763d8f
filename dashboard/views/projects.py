"""The list of projects, one project's overview, and publishing from there."""

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from annotation.domain.publish import NothingToPublish, publish_batch
from annotation.domain.queries import (
    count_items,
    counts_by_project,
    generation_cents,
    projects_of,
)
from annotation.enums import Role
from annotation.models import Batch, Project
from annotation.permissions import project_page, signed_in_page
from consolidation.domain.open_cases import pool_code
from consolidation.domain.queries import gold_items_by_project
from crowd.domain.ledger import BudgetExceeded
from crowd.models import QualificationType
from crowd.tasks import create_pending_hits
from dashboard.forms import PublishForm
from dashboard.pages import render_page
from dashboard.protocol import pool_size, progress_of, steps_of, waiting_of
from dashboard.templatetags.dashboard import dollars


@require_GET
@signed_in_page
def projects(request: HttpRequest) -> HttpResponse:
    own = list(projects_of(user=request.user))
    items, gold = counts_by_project(projects=own), gold_items_by_project(projects=own)
    rows = [
        {"project": one, "items": items.get(one.pk, 0), "gold": gold.get(one.pk, 0)} for one in own
    ]
    return render(request, "dashboard/projects.html", {"rows": rows})


@require_GET
@project_page
def project(request: HttpRequest, project: Project) -> HttpResponse:
    progress = progress_of(project=project)
    context = {
        "progress": progress,
        "steps": steps_of(progress),
        "waiting": waiting_of(progress),
        "budget": project.budget,
        "now": timezone.now(),
    }
    return render_page(
        request,
        project,
        "dashboard/project.html",
        context,
        fragment="dashboard/fragments/progress.html",
    )


@require_http_methods(["GET", "POST"])
@project_page
def publish(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Ask how many; then show what that costs and ask again; then publish."""
    unoffered = count_items(project=project).unoffered
    pool = _pool(project)
    form = PublishForm(request.POST or None, unoffered=unoffered, has_pool=pool is not None)
    context = {
        "form": form,
        "unoffered": unoffered,
        "one": generation_cents(project=project, count=1),
        "pool": pool_size(project=project, role=Role.GENERATOR) if pool else None,
    }
    if not form.is_valid():
        status = 422 if form.is_bound else 200
        return render_page(request, project, "dashboard/publish.html", context, status=status)
    count = form.cleaned_data["count"]
    context |= {"count": count, "cents": generation_cents(project=project, count=count)}
    if "confirmed" not in request.POST or form.cleaned_data["unoffered"] != unoffered:
        # A second click on "Publish" ends here: the first one has changed what is left.
        return render_page(request, project, "dashboard/publish_confirm.html", context)
    if form.cleaned_data.get("pool") == "open":
        pool = None
    try:
        batch = publish_now(project=project, count=count, pool=pool)
    except (BudgetExceeded, NothingToPublish) as error:
        form.add_error("count", str(error))
    except IntegrityError:
        form.add_error("count", "Somebody published at the same moment. Look again and repeat.")
    else:
        cents = generation_cents(project=project, count=count)
        told = f"{batch.tasks.count():,} HITs are being created; {dollars(cents)} are reserved."
        messages.success(request, told)
        return redirect("dashboard:project", slug=project.slug)
    return render_page(request, project, "dashboard/publish.html", context, status=422)


def publish_now(*, project: Project, count: int, pool: QualificationType | None) -> Batch:
    """Publish, and have the HITs created at once rather than by the next sweep."""
    with transaction.atomic():
        batch = publish_batch(project=project, now=timezone.now(), limit=count, pool=pool)
        # Robust: with the broker away the batch stands, and the sweep creates the HITs later.
        transaction.on_commit(create_pending_hits.delay, robust=True)
    return batch


def _pool(project: Project) -> QualificationType | None:
    """The qualification of the trained pool, once there is one."""
    code = pool_code(project, Role.GENERATOR)
    return QualificationType.objects.filter(provider=project.provider, code=code).first()


@require_GET
def style(request: HttpRequest) -> HttpResponse:
    """Every block of the visual system on one page (only where DEBUG is on)."""
    return render(request, "dashboard/style.html")

"""The list of projects, one project's overview, and publishing from there."""

from datetime import timedelta

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from annotation.domain.kept_figures import (
    count_figures,
    figures_of,
    figures_of_each,
    forget_figures,
)
from annotation.domain.publish import NothingToPublish, publish_batch
from annotation.domain.qualification_codes import pool_code
from annotation.domain.queries import (
    count_items,
    counts_by_project,
    generation_cents,
    projects_of,
)
from annotation.enums import Role
from annotation.models import Batch, Project
from annotation.permissions import may_add_projects, project_page, signed_in_page
from consolidation.domain.queries import gold_items_by_project
from crowd.domain.hold_publishing import standing_hold
from crowd.domain.ledger import BudgetExceeded
from crowd.models import QualificationType
from crowd.tasks import create_pending_hits
from dashboard.forms.batches import PublishForm
from dashboard.pace import WINDOW
from dashboard.pages import render_page
from dashboard.protocol import pool_size, progress_of, steps_of, waiting_of
from dashboard.templatetags.dashboard import dollars


@require_GET
@signed_in_page
def projects(request: HttpRequest) -> HttpResponse:
    # A rehearsal's copy stands on the page of what it is a copy of.
    own = list(projects_of(user=request.user).filter(rehearsal=None))
    counted = figures_of_each(items_and_gold, items_and_gold_of_each, projects=own)
    rows = [{"project": one, **counted[one.pk]} for one in own]
    context = {"rows": rows, "may_add": may_add_projects(request.user)}
    return render(request, "dashboard/projects.html", context)


def items_and_gold(*, project: Project) -> dict[str, int]:
    return items_and_gold_of_each(projects=[project])[project.pk]


def items_and_gold_of_each(*, projects: list[Project]) -> dict[int, dict[str, int]]:
    """Project id -> its items, and those of them that have gold of any source."""
    items, gold = counts_by_project(projects=projects), gold_items_by_project(projects=projects)
    return {
        one.pk: {"items": items.get(one.pk, 0), "gold": gold.get(one.pk, 0)} for one in projects
    }


@require_GET
@project_page
def project(request: HttpRequest, project: Project) -> HttpResponse:
    kept = figures_of(progress_of, project=project)
    progress = kept.value
    now = timezone.now()
    context = {
        "progress": progress,
        "left": progress.items.items - progress.finished(),
        "expected_end": progress.expected_end(now),
        "span": _span(progress.pace.span),
        "kept": kept,
        "steps": steps_of(progress),
        "waiting": waiting_of(progress),
        "budget": project.budget,
        "hold": standing_hold(),
        "now": now,
    }
    return render_page(
        request,
        project,
        "dashboard/project.html",
        context,
        fragment="dashboard/fragments/progress.html",
    )


def _span(span: timedelta) -> str:
    """The last 24 hours, or however long a younger campaign has run."""
    if span >= WINDOW:
        return "last 24 h"
    hours, minutes = divmod(int(span.total_seconds()) // 60, 60)
    return f"last {hours} h {minutes} min" if hours else f"last {minutes} min"


@require_http_methods(["GET", "POST"])
@project_page
def publish(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Ask how many; then show what that costs and ask again; then publish."""
    # To look at, a count of a moment ago will do; to publish, it will not.
    asked = request.method == "POST"
    count_all = count_figures if asked else figures_of
    unoffered = count_all(count_items, project=project).value.unoffered
    pool = _pool(project)
    groups = list(project.groups.values_list("number", flat=True))
    form = PublishForm(
        request.POST or None, unoffered=unoffered, has_pool=pool is not None, groups=groups
    )
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
    context |= {
        "group": form.group(),
        "count": count,
        "cents": generation_cents(project=project, count=count),
    }
    if "confirmed" not in request.POST or form.cleaned_data["unoffered"] != unoffered:
        # A second click on "Publish" ends here: the first one has changed what is left.
        return render_page(request, project, "dashboard/publish_confirm.html", context)
    if form.cleaned_data.get("pool") == "open":
        pool = None
    try:
        batch = publish_now(
            project=project,
            count=count,
            pool=pool,
            auto_approval_seconds=form.cleaned_data["auto_approval_hours"] * 3600,
            reoffer_limit=form.cleaned_data["reoffer_limit"],
            group=form.group(),
        )
    except (BudgetExceeded, NothingToPublish) as error:
        form.add_error("count", str(error))
    except IntegrityError:
        form.add_error("count", "Somebody published at the same moment. Look again and repeat.")
    else:
        cents = generation_cents(project=project, count=count)
        told = f"{batch.tasks.count():,} HITs are being created; {dollars(cents)} are reserved."
        messages.success(request, told)
        return redirect("dashboard:batch", slug=project.slug, pk=batch.pk)
    return render_page(request, project, "dashboard/publish.html", context, status=422)


def publish_now(
    *,
    project: Project,
    count: int,
    pool: QualificationType | None,
    auto_approval_seconds: int,
    reoffer_limit: int,
    group: int | None = None,
) -> Batch:
    """Publish, and have the HITs created at once rather than by the next sweep."""
    with transaction.atomic():
        batch = publish_batch(
            project=project,
            now=timezone.now(),
            limit=count,
            pool=pool,
            auto_approval_seconds=auto_approval_seconds,
            reoffer_limit=reoffer_limit,
            groups=[] if group is None else [group],
        )
        # Robust: with the broker away the batch stands, and the sweep creates the HITs later.
        transaction.on_commit(create_pending_hits.delay, robust=True)
    for figures in (progress_of, count_items):
        forget_figures(figures, project=project)
    return batch


def _pool(project: Project) -> QualificationType | None:
    """The qualification of the trained pool, once there is one."""
    code = pool_code(project, Role.GENERATOR)
    return QualificationType.objects.filter(provider=project.provider, code=code).first()


@require_GET
def style(request: HttpRequest) -> HttpResponse:
    """Every block of the visual system on one page (only where DEBUG is on)."""
    return render(request, "dashboard/style.html")

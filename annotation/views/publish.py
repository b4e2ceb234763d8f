"""The page that publishes HITs."""

from collections.abc import Sequence

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.domain.decisions.changed_figures import forget_published
from annotation.domain.publishing.arms import (
    ArmPlan,
    ArmsError,
    arm_choices,
    check_arms,
    preview_arms,
)
from annotation.domain.publishing.choose_workers import choose_workers
from annotation.domain.publishing.cost_model import item_cents, role_costs
from annotation.domain.publishing.preview_batch import preview_batch
from annotation.domain.publishing.publish import (
    NothingToPublishError,
    PublicationRunningError,
    check_pay,
    publish_batch,
)
from annotation.domain.publishing.qualification_codes import passed_outside_pool, pool_of, pool_size
from annotation.domain.publishing.queries import count_items, generation_cents
from annotation.forms import PublishForm
from annotation.models import Batch
from crowd.domain.hits.plan_study import PayTooLowError
from crowd.domain.money.ledger import BudgetExceededError
from crowd.models import QualificationType
from crowd.tasks import publish_hits
from projects.domain.cached_figures import figures_of
from projects.enums import Role
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page
from projects.protocols import TERMS
from web.money import dollars


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def publish(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Choose the number of HITs, confirm their cost, then publish them."""
    if request.method == "POST":
        unpublished = count_items(project=project).unpublished
    else:
        unpublished = figures_of(count_items, project=project).value.unpublished
    pool = pool_of(project=project, role=Role.GENERATOR)
    groups = list(project.groups.values_list("number", flat=True))
    form = PublishForm(
        request.POST or None,
        unpublished=unpublished,
        has_pool=pool is not None,
        groups=groups,
        provider=project.provider,
        arms=arm_choices(project),
    )
    context = {
        "form": form,
        "unpublished": unpublished,
        "most_per_item": generation_cents(project=project, count=1),
        "expected_per_item": item_cents(role_costs(project=project), project=project),
        "pool": pool_size(project=project, role=Role.GENERATOR) if pool else None,
        "trains": project.rounds.exists(),
    }
    if not form.is_valid():
        status = 422 if form.is_bound else 200
        return render_page(request, project, "annotation/publish.html", context, status=status)
    pool = choose_workers(project=project, who=form.who(), groups=form.groups()).pool
    count = form.cleaned_data["count"]
    cents = generation_cents(project=project, count=count)
    try:
        check_pay(project)
        arms = form.arms()
        check_arms(project, arms)
    except (PayTooLowError, ArmsError) as error:
        form.add_error("arm_1" if isinstance(error, ArmsError) else "count", str(error))
        return render_page(request, project, "annotation/publish.html", context, status=422)
    assists_test_items = form.cleaned_data.get("assists_test_items", False)
    context |= {
        "group": form.group(),
        "is_open": pool is None,
        "untrained": _untrained(project),
        "outside": passed_outside_pool(project=project, role=Role.GENERATOR).count(),
        "count": count,
        "cents": cents,
        "studies": preview_batch(project=project, count=count, pool=pool, groups=form.groups()),
        "expected": context["expected_per_item"] * count,
        "arms": preview_arms(
            project=project, plans=arms, count=count, assists_test_items=assists_test_items
        ),
    }
    if "confirmed" not in request.POST or form.cleaned_data["unpublished"] != unpublished:
        # A second click on "Publish" ends here, because the first has changed the number of items.
        return render_page(request, project, "annotation/publish_confirm.html", context)
    try:
        batch = publish_now(
            project=project,
            count=count,
            pool=pool,
            auto_approval_seconds=form.cleaned_data["auto_approval_hours"] * 3600,
            republish_limit=form.cleaned_data["republish_limit"],
            groups=form.groups(),
            arms=arms,
            assists_test_items=assists_test_items,
            actor=request.user.get_username(),
        )
    except (
        BudgetExceededError,
        NothingToPublishError,
        PayTooLowError,
        PublicationRunningError,
    ) as error:
        form.add_error("count", str(error))
    except IntegrityError:
        form.add_error(
            "count", "Another member just published items. Check the number and try again."
        )
    else:
        tasks = batch.to_publish or batch.tasks.count()
        made = (
            "1 study" if context["studies"] else f"{tasks:,} {project.hit_noun}{pluralize(tasks)}"
        )
        are = "is" if context["studies"] or tasks == 1 else "are"
        reserved = "will be reserved" if batch.to_publish else "reserved"
        message = f"{made} {are} being created. {dollars(cents)} {reserved}."
        messages.success(request, message)
        return redirect("consolidation:batch", slug=project.slug, pk=batch.pk)
    return render_page(request, project, "annotation/publish.html", context, status=422)


def _untrained(project: Project) -> str:
    """Return what people who work on cases are called if the project has no pool of them."""
    terms = TERMS[project.protocol]
    return "" if pool_of(project=project, role=terms.role) else terms.noun


def publish_now(
    *,
    project: Project,
    count: int,
    pool: QualificationType | None,
    auto_approval_seconds: int,
    republish_limit: int,
    actor: str,
    groups: Sequence[int] = (),
    arms: Sequence[ArmPlan] = (),
    assists_test_items: bool = False,
) -> Batch:
    """Publish a batch, and start creating its HITs without waiting for the next sweep."""
    with transaction.atomic():
        batch = publish_batch(
            project=project,
            now=timezone.now(),
            limit=count,
            pool=pool,
            auto_approval_seconds=auto_approval_seconds,
            republish_limit=republish_limit,
            groups=groups,
            arms=arms,
            assists_test_items=assists_test_items,
            actor=actor,
        )
        # `robust` keeps the batch if the broker is down. The sweep then creates the HITs later.
        transaction.on_commit(publish_hits.delay, robust=True)
    forget_published(project=project)
    return batch

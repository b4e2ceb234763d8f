"""The page of production groups."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from projects.models import Project
from projects.pages import ask_first, render_page
from projects.permissions import STAFF, project_page
from qualification.domain.pool.production_groups import (
    GroupingError,
    Member,
    assign_groups,
    divide_pool,
    members_of,
    sizes_of,
)
from qualification.domain.scores.gold_comparisons import main_figure
from qualification.forms import DivideForm


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def groups(request: HttpRequest, project: Project) -> HttpResponseBase:
    members = members_of(project=project)
    numbers = list(project.groups.values_list("number", flat=True))
    form = DivideForm(initial={"count": len(numbers) or 2, "seed": project.seed})
    if request.method == "POST" and "divide" in request.POST:
        form = DivideForm(request.POST)
        if (
            numbers
            and form.is_valid()
            and (confirmation := _ask_first(request, project, len(members)))
        ):
            return confirmation
        if form.is_valid() and _divided(request, project, form):
            return redirect("qualification:groups", slug=project.slug)
    elif request.method == "POST":
        _assign(request, project, members, len(numbers))
        return redirect("qualification:groups", slug=project.slug)
    sizes = sizes_of(members, numbers)
    context = {
        "members": members,
        "numbers": numbers,
        "sizes": sizes,
        "form": form,
        "figure": main_figure(project),
    }
    status = 422 if form.is_bound else 200
    return render_page(request, project, "qualification/groups.html", context, status=status)


def _ask_first(request: HttpRequest, project: Project, members: int) -> HttpResponse | None:
    return ask_first(
        request,
        project,
        title="Divide the pool again?",
        consequences=[
            f"All {members} workers can change groups. The present groups are lost.",
            "Tasks that were published to one group are offered to its new members.",
        ],
        button=f"Divide {members} workers",
        back=reverse("qualification:groups", args=[project.slug]),
    )


def _divided(request: HttpRequest, project: Project, form: DivideForm) -> bool:
    actor, now = request.user.get_username(), timezone.now()
    try:
        moved = divide_pool(project=project, **form.cleaned_data, actor=actor, now=now)
    except GroupingError as error:
        form.add_error("count", str(error))
        return False
    messages.success(request, f"The pool is divided. {moved} workers changed groups.")
    return True


def _assign(request: HttpRequest, project: Project, members: list[Member], count: int) -> None:
    chosen: dict[int, int | None] = {}
    for member in members:
        value = str(request.POST.get(f"group-{member.worker.pseudonym}", "unsaid"))
        if value == "" or (value.isdecimal() and len(value) < 4):
            chosen[member.worker.pk] = int(value) if value else None
    actor, now = request.user.get_username(), timezone.now()
    try:
        moved = assign_groups(project=project, groups=chosen, count=count, actor=actor, now=now)
    except GroupingError as error:
        messages.error(request, f"Nothing was changed: {error}")
    else:
        messages.success(request, f"{moved} workers changed groups.")

"""Pages that add a round, choose its items and remove it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from annotation.models import Item
from consolidation.domain.cases.queries import count_expert_items
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page
from projects.views.settings import actor_of
from qualification.domain.rounds.choose_items import (
    MAX_ITEMS,
    Method,
    free_items,
    keys_with_gold,
    search_items,
    with_gold,
)
from qualification.domain.rounds.plan_round import (
    first_seed,
    plan_round,
    sample_of,
    trains_consolidators,
)
from qualification.domain.rounds.queries import rounds_of
from qualification.domain.rounds.set_up_rounds import (
    RoundPlan,
    RoundSetupError,
    next_plan,
    preceding_round,
    remove_round,
    replace_items,
)
from qualification.domain.rounds.vary_gold import variations_of
from qualification.domain.training.invite_passed import add_following_round
from qualification.forms import ChooseItemsForm, NewRoundForm
from qualification.models import Round
from schemes.contract.values import Noun

WORKERS = Noun("worker", "workers")


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def new_round(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Add a round with items that are sampled, searched or picked."""
    scheme = scheme_of(project)
    suggested = next_plan(project=project, scheme=scheme)
    form = NewRoundForm(
        request.POST or None,
        initial={"title": suggested.title},
        consolidates=trains_consolidators(project),
    )
    problem = ""
    if "show" not in request.POST and form.is_valid():
        items = _picked(project, request.POST.getlist("item"))
        try:
            plan = _plan(project, form, items)
            added = add_following_round(
                project=project, plan=plan, actor=actor_of(request), now=timezone.now()
            )
        except RoundSetupError as error:
            problem = str(error)
        else:
            return _saved(request, added)
    return _page(request, project, None, form, problem)


def _plan(project: Project, form: NewRoundForm, items: list[Item]) -> RoundPlan:
    """Return the round that the form describes. Raise RoundSetupError."""
    title, role = form.cleaned_data["title"], form.cleaned_data.get("role") or Role.GENERATOR
    # The form suggests the title of a round for generators.
    is_suggested = role == Role.CONSOLIDATOR and title == form.initial["title"]
    return plan_round(
        project=project,
        items=items,
        role=role,
        title="" if is_suggested else title,
        is_screening=form.cleaned_data["is_screening"],
        opens_pool=form.opens_pool(),
    )


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def round_items(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Change the items of an unpublished round."""
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    problem = ""
    if round.cohorts.exists():
        messages.info(request, f"{round.title} has been published, so its items can’t change.")
        return redirect("qualification:round", slug=project.slug, pk=pk)
    if request.method == "POST" and "show" not in request.POST:
        items = _picked(project, request.POST.getlist("item"))
        try:
            replace_items(
                round=round,
                keys=[item.key for item in items],
                given=variations_of(items=items) if round.role == Role.CONSOLIDATOR else None,
                actor=actor_of(request),
                now=timezone.now(),
            )
        except RoundSetupError as error:
            problem = str(error)
        else:
            return _saved(request, round)
    return _page(request, project, round, None, problem)


@require_POST
@project_page(STAFF)
def remove(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    try:
        remove_round(round=round, actor=actor_of(request), now=timezone.now())
    except RoundSetupError as error:
        messages.error(request, str(error))
        return redirect("qualification:round", slug=project.slug, pk=pk)
    messages.success(request, f"{round.title} was removed. Its items are in production again.")
    return redirect("qualification:rounds", slug=project.slug)


def _saved(request: HttpRequest, round: Round) -> HttpResponseBase:
    items = round.round_items.count()
    missing = round.round_items.filter(reference=None).count()
    text = f"{round.title} has {items} items, which are now reserved for training."
    if missing:
        text += f" {missing} of them need expert gold before it can be published."
    messages.success(request, text)
    if invited := round.enrolments.count():
        waiting = WORKERS.count(invited)
        messages.info(
            request, f"{waiting} who passed the previous round can be offered {round.title}."
        )
    earlier = preceding_round(round)
    if round.pool_roles and earlier and not earlier.pool_roles:
        text = f"Workers who pass {earlier.title} enter {round.title}, which admits to production."
        messages.info(request, text)
    return redirect("qualification:rounds", slug=round.project.slug)


def _picked(project: Project, ids: list[str]) -> list[Item]:
    """Return the project's items with these ids, in the order of the ids."""
    numbers = [int(text) for text in ids if text.isdecimal() and len(text) < 19]
    rows = project.items.select_related("sentence").in_bulk(numbers[: MAX_ITEMS + 1])
    return [rows[pk] for pk in dict.fromkeys(numbers) if pk in rows]


def _page(
    request: HttpRequest,
    project: Project,
    round: Round | None,
    form: NewRoundForm | None,
    problem: str,
) -> HttpResponse:
    experts: int = figures_of(count_expert_items, project=project, keep=bool).value
    initial = {
        "method": Method.SEARCH if round else Method.RANDOM,
        "count": 15,
        "seed": first_seed(project),
        "only_gold": experts > 0,
        "text": "",
    }
    choose = ChooseItemsForm(request.POST or None, initial=initial)
    wanted = choose.cleaned_data if choose.is_valid() else initial
    free = free_items(project=project, round=round)
    chosen, found = _choice(request, project, round, wanted, free)
    gold = keys_with_gold([*chosen, *found])
    scheme = scheme_of(project)
    context = {
        "round": round,
        "form": form,
        "choose": choose,
        "problem": problem,
        "chosen": [(item, item.pk in gold) for item in chosen],
        "found": [(item, item.pk in gold) for item in found],
        "chosen_with_gold": sum(item.pk in gold for item in chosen),
        "searched": wanted["method"] == Method.SEARCH and bool(wanted["text"]),
        "experts": experts,
        "noun": scheme.vocabulary.item,
        "most": MAX_ITEMS,
    }
    is_refused = request.method == "POST" and "show" not in request.POST
    status = 422 if is_refused or choose.errors else 200
    page = "qualification/round_items.html"
    return render_page(request, project, page, context, status=status)


def _choice(
    request: HttpRequest, project: Project, round: Round | None, wanted: dict[str, Any], free: Any
) -> tuple[list[Item], list[Item]]:
    """Return the items to check in the list, and further items that match a search."""
    picked = _picked(project, request.POST.getlist("item"))
    if request.method == "POST" and "show" not in request.POST:
        return picked, []
    if wanted["method"] != Method.SEARCH:
        sampling = {name: wanted[name] for name in ("method", "count", "seed", "only_gold")}
        return sample_of(project=project, round=round, **sampling), []
    if round and request.method == "GET":
        own = round.round_items.values_list("item", flat=True)
        return _picked(project, [str(pk) for pk in own]), []
    taken = {item.pk for item in picked}
    pool = with_gold(free) if wanted["only_gold"] else free
    found = search_items(pool, project=project, text=wanted["text"])
    return picked, [item for item in found if item.pk not in taken]

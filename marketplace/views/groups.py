"""Views for the list of HIT groups, previews and acceptance."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from marketplace.answer_form import AnswerForm
from marketplace.domain.accounts.requester_statistics import requester_statistics
from marketplace.domain.errors import RefusalError
from marketplace.domain.hits.find_groups import MAX_COUNTED, GroupFilter, Position, find_groups
from marketplace.domain.hits.saved_searches import save_search, url_of, wanted_by
from marketplace.domain.hits.typical_pay import typical_pay
from marketplace.domain.qualifications.qualifications import held_by
from marketplace.domain.qualifications.requirements import Requirement, describe, meets, unmet
from marketplace.domain.queries import month_cents, waiting_cents
from marketplace.domain.questions.question import read_form
from marketplace.domain.work import accept_hit
from marketplace.domain.work.consent import ConsentRequiredError
from marketplace.enums import AssignmentStatus, Guarded, QualificationTypeStatus
from marketplace.forms import GroupFilterForm, SaveSearchForm
from marketplace.models import (
    Assignment,
    Hit,
    HitType,
    QualificationType,
    Requester,
    SavedSearch,
    WorkerAccount,
)
from marketplace.views.frame import (
    framing,
    in_chosen_language,
    keyed_url,
    origin_of,
    page_url,
    sandbox_of,
)
from marketplace.views.media_policy import allow_media
from marketplace.views.session import worker_required

NOTHING_LEFT = gettext_lazy("No more tasks of this group are available to you right now.")
SUBMITTED = gettext_lazy("Submitted. ${} is pending approval.")
NOT_AVAILABLE = "ASSIGNMENT_ID_NOT_AVAILABLE"


@require_GET
@worker_required
def groups(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    now = timezone.now()
    form = GroupFilterForm(request.GET)
    wanted = form.wanted()
    found = find_groups(worker=worker, wanted=wanted, now=now, position=_position(request, wanted))
    hit_types = [group.hit_type for group in found.groups]
    types = _types(hit_types)
    statistics = requester_statistics(
        requesters={hit_type.requester for hit_type in hit_types}, now=now
    )
    rows = [
        {
            "hit_type": group.hit_type,
            "pay": group.pay,
            "available": group.available,
            "count": f"{group.available:,}{'+' if group.available >= MAX_COUNTED else ''}",
            "lacking": [
                _describe(requirement, types, is_met=False) for requirement in group.lacking
            ],
            "statistics": statistics.get(group.hit_type.requester_id),
            "left_out": group.left_out,
            "left_out_text": f"{group.left_out:,}",
            "rest_query": replace(wanted, requester=group.hit_type.requester.code).url_query(),
        }
        for group in found.groups
    ]
    query = wanted.url_query()
    context = {
        "worker": worker,
        "rows": rows,
        "page": found,
        "total_text": f"{found.total:,}",
        "requester": Requester.objects.filter(code=wanted.requester).first(),
        "all_query": replace(wanted, requester="").url_query(),
        "form": form,
        "query": query,
        "searches": [
            {"search": search, "url": url_of(search), "is_shown": wanted_by(search) == wanted}
            for search in worker.searches.order_by("name")
        ],
        "save_form": SaveSearchForm(),
        "in_progress": Assignment.objects.filter(worker=worker, status=AssignmentStatus.ACCEPTED)
        .select_related("hit_type")
        .order_by("deadline_at"),
        "waiting_cents": waiting_cents(worker),
        "month_cents": month_cents(worker, now=now),
        "unread": worker.messages.filter(read_at=None, from_worker=False).count(),
    }
    return render(request, "marketplace/groups.html", context)


def _position(request: HttpRequest, wanted: GroupFilter) -> Position | None:
    """Return the position in the list that a link to the previous or next page names."""
    for name, is_backwards in (("before", True), ("after", False)):
        if text := request.GET.get(name):
            return Position.parse(text, sort=wanted.sort, is_backwards=is_backwards)
    return None


@require_POST
@worker_required
def save_filter(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    """Save the filter of the list, whose fields are in the query string."""
    wanted = GroupFilterForm(request.GET).wanted()
    form = SaveSearchForm(request.POST)
    if form.is_valid():
        try:
            save_search(worker=worker, wanted=wanted, now=timezone.now(), **form.cleaned_data)
        except RefusalError as refusal:
            messages.error(request, refusal.message)
        else:
            messages.success(
                request, gettext("Filter “%(name)s” saved.") % {"name": form.cleaned_data["name"]}
            )
    else:
        messages.error(request, gettext("Enter a name of up to 60 characters for the filter."))
    query = wanted.url_query()
    return redirect(f"{reverse('marketplace:groups')}{'?' if query else ''}{query}")


@require_POST
@worker_required
def delete_filter(request: HttpRequest, worker: WorkerAccount, pk: int) -> HttpResponseBase:
    search = get_object_or_404(SavedSearch, pk=pk, worker=worker)
    search.delete()
    messages.success(request, gettext("Filter “%(name)s” deleted.") % {"name": search.name})
    return redirect("marketplace:groups")


@require_GET
@worker_required
def preview(request: HttpRequest, worker: WorkerAccount, hit_type_code: str) -> HttpResponseBase:
    """Show the worker's next HIT of the group without accepting it."""
    now = timezone.now()
    hit_type = get_object_or_404(HitType.objects.select_related("requester"), code=hit_type_code)
    hit_type = accept_hit.find_type_to_show(worker=worker, hit_type=hit_type, now=now)
    _check_discoverable(worker, hit_type)
    hit = accept_hit.find_open_hit(worker=worker, hit_type=hit_type, now=now)
    return _preview(request, worker, hit_type, hit)


@require_GET
def preview_by_query(request: HttpRequest) -> HttpResponseBase:
    return _to_group(request.GET.get("groupId", ""))


@require_GET
def preview_group(request: HttpRequest, group_code: str) -> HttpResponseBase:
    return _to_group(group_code)


def _to_group(code: str) -> HttpResponseBase:
    """Redirect to the page of a group, found by HITGroupId or HITTypeId."""
    hit_type = get_object_or_404(HitType, Q(group_code=code) | Q(code=code))
    return redirect("marketplace:preview", hit_type_code=hit_type.code)


@require_GET
@worker_required
def preview_hit(request: HttpRequest, worker: WorkerAccount, hit_code: str) -> HttpResponseBase:
    hit = get_object_or_404(Hit.objects.select_related("hit_type__requester"), code=hit_code)
    _check_discoverable(worker, hit.hit_type)
    return _preview(request, worker, hit.hit_type, hit)


@require_POST
@worker_required
def accept_next(
    request: HttpRequest, worker: WorkerAccount, hit_type_code: str
) -> HttpResponseBase:
    return to_next(request, worker, hit_type_code)


@require_POST
@worker_required
def accept(request: HttpRequest, worker: WorkerAccount, hit_code: str) -> HttpResponseBase:
    accept_this = partial(accept_hit.accept_hit, hit_code=hit_code)
    return _open_accepted(request, worker, accept_this)


def to_next(request: HttpRequest, worker: WorkerAccount, hit_type_code: str) -> HttpResponseBase:
    """Accept and open the group's next HIT, or show the list with the reason."""
    accept_any = partial(accept_hit.accept_next, hit_type_code=hit_type_code)
    return _open_accepted(request, worker, accept_any)


def to_next_or_list(
    request: HttpRequest, worker: WorkerAccount, hit_type_code: str
) -> HttpResponseBase:
    """Continue with the group's next HIT or the list, and remember the worker's choice."""
    accepts_next = "accepts_next" in request.POST
    if accepts_next != worker.accepts_next:
        WorkerAccount.objects.filter(pk=worker.pk).update(accepts_next=accepts_next)
    return (
        to_next(request, worker, hit_type_code) if accepts_next else redirect("marketplace:groups")
    )


def _open_accepted(
    request: HttpRequest, worker: WorkerAccount, accept: Callable[..., str | None]
) -> HttpResponseBase:
    try:
        code = accept(worker=worker, now=timezone.now())
    except ConsentRequiredError as refusal:
        messages.error(request, refusal.message)
        return redirect("marketplace:consent")
    except RefusalError as refusal:
        messages.error(request, refusal.message)
        return redirect("marketplace:groups")
    if code is None:
        messages.info(request, NOTHING_LEFT)
        return redirect("marketplace:groups")
    return redirect("marketplace:work", assignment_code=code)


def _preview(
    request: HttpRequest, worker: WorkerAccount, hit_type: HitType, hit: Hit | None
) -> HttpResponseBase:
    now = timezone.now()
    held = held_by(worker, hit_type.requirements)
    types = _types([hit_type])
    may_see = not unmet(hit_type.requirements, held, action=Guarded.PREVIEW)
    context: dict[str, Any] = {
        "worker": worker,
        "hit_type": hit_type,
        "pay": typical_pay(hit_types=[hit_type], now=now).get(hit_type.pk),
        "statistics": requester_statistics(requesters=[hit_type.requester], now=now).get(
            hit_type.requester_id
        ),
        "hit": hit,
        "may_see": may_see,
        "may_accept": not unmet(hit_type.requirements, held, action=Guarded.ACCEPT),
        "requirements": [
            _describe(requirement, types, is_met=meets(requirement, held))
            for requirement in hit_type.requirements
        ],
    }
    if hit is None or not may_see:
        return render(request, "marketplace/preview.html", context)
    url = page_url(hit, hit_type)
    if not url:
        form = AnswerForm(read_form(hit.question), is_preview=True)
        page = render(request, "marketplace/preview.html", context | {"form": form})
        return allow_media(request, page, form.question_form)
    query = {"assignmentId": NOT_AVAILABLE, "hitId": hit.code}
    context["frame_url"] = in_chosen_language(request, keyed_url(hit, url, query), hit.hit_type)
    context["sandbox"] = sandbox_of(request, url)
    page = render(request, "marketplace/preview.html", context)
    return framing(request, page, [origin_of(url)])


def _check_discoverable(worker: WorkerAccount, hit_type: HitType) -> None:
    held = held_by(worker, hit_type.requirements)
    if unmet(hit_type.requirements, held, action=Guarded.DISCOVER):
        raise Http404(gettext("This group does not exist."))


def _types(hit_types: list[HitType]) -> dict[str, QualificationType]:
    """Return the qualification types that the HIT types require, by QualificationTypeId."""
    codes = {r["QualificationTypeId"] for hit_type in hit_types for r in hit_type.requirements}
    types = QualificationType.objects.only(
        "code", "name", "status", "test", "deleted_at", "is_requestable"
    )
    return types.in_bulk(codes, field_name="code")


def _describe(
    requirement: Requirement, types: dict[str, QualificationType], *, is_met: bool
) -> dict[str, Any]:
    """Describe a requirement. Its `kind` is the type that workers can request, if there is one."""
    kind = types.get(requirement["QualificationTypeId"])
    is_requestable = (
        kind is not None
        and kind.deleted_at is None
        and kind.is_requestable
        and kind.status == QualificationTypeStatus.ACTIVE
    )
    return {
        "text": describe(requirement, {code: kind.name for code, kind in types.items()}),
        "is_met": is_met,
        "kind": kind if is_requestable and not is_met else None,
    }

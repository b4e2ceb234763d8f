"""Workers' pages for generation in a marketplace's frame, and for practice."""

import gzip
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.corpus.resource_index import UnknownIndexError, compressed_index
from annotation.domain.work.compensate import compensation_form
from annotation.domain.work.drafts import PageState, save_draft, submit_draft
from annotation.domain.work.look_up import look_up_for_page, readable_task
from annotation.domain.work.open_page import OpenedPage, TaskNotFoundError, open_page
from annotation.domain.work.practice import (
    ExerciseNotFoundError,
    Lesson,
    check_answers,
    find_lesson,
    practice_guidelines,
    practice_page,
    series_of,
)
from annotation.domain.work.tutorial import finish_tutorial, tutorial_of_page
from annotation.domain.work.worker_page import page_token_of
from annotation.frame import framed_page, page_endpoint
from annotation.models import Compensation, PageDraft
from annotation.onboarding_page import inputs_notice
from annotation.page_messages import (
    read_look_up_message,
    read_page_message,
    read_practice_message,
    read_tutorial_message,
)
from annotation.translated import translated
from annotation.work_page import guidelines_context, index_urls, render_work_page, title_of
from crowd.domain.sessions.arrivals import parse_arrival
from crowd.domain.sessions.open_session import session_with
from crowd.domain.sessions.session_links import session_url, task_link
from crowd.domain.sessions.session_progress import progress_of
from projects.domain.queries import projects_of
from projects.domain.schemes import scheme_of
from projects.enums import Role
from web.markdown import render_markdown

PREANNOTATED = gettext_lazy(
    "A program has prepared this annotation, and it makes mistakes. Check every part, correct or "
    "remove what is wrong, and add what is missing."
)


@require_GET
@framed_page
def generate(request: HttpRequest, public_id: UUID) -> HttpResponse:
    page = open_framed_page(request, public_id, Role.GENERATOR)
    page.data["urls"] = {
        "draft": reverse("annotation:draft"),
        "submit": reverse("annotation:submit"),
        "lookUp": reverse("annotation:look-up"),
        **index_urls(page.project),
    }
    return render_task_page(request, page, hint=str(PREANNOTATED) if page.is_preannotated else "")


@require_GET
@framed_page
def compensation(request: HttpRequest, public_id: UUID) -> HttpResponse:
    offer = get_object_or_404(Compensation, public_id=public_id)
    arrival = parse_arrival(request.path, request.GET.dict())
    form = compensation_form(arrival=arrival)
    return render(
        request, "annotation/compensation.html", {"reason": gettext(offer.reason), "form": form}
    )


def open_framed_page(request: HttpRequest, public_id: UUID, role: Role) -> OpenedPage:
    """Return the task's page for the frame's address. Raise Http404, InvalidPageError."""
    try:
        page = open_page(
            public_id=public_id,
            role=role,
            arrival=parse_arrival(request.path, request.GET.dict()),
            now=timezone.now(),
            address=request.META.get("REMOTE_ADDR", ""),
            is_member=_is_member(request, public_id),
        )
    except TaskNotFoundError as error:
        raise Http404(str(error)) from error
    page.data["tutorial"] = reverse("annotation:tutorial") if page.data["tutorial"] else ""
    return page


def _is_member(request: HttpRequest, public_id: UUID) -> bool:
    """Return True if a member of the task's project is signed in, whose preview hides nothing."""
    # Without the cookie, the session is not read, so that the pages of workers don't vary by it.
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
        return False
    return projects_of(user=request.user).filter(batches__tasks__public_id=public_id).exists()


def render_task_page(request: HttpRequest, page: OpenedPage, *, hint: str = "") -> HttpResponse:
    """Render the page, with a hint above the task."""
    return render_work_page(
        request,
        scheme=scheme_of(page.project),
        role=page.role,
        page=page.data,
        guidelines=page.guidelines,
        practice_url=_practice_url(page),
        back=_way_back(request),
        consent_text=render_markdown(page.asked_first.consent_text),
        asked_first=page.asked_first,
        hint=hint,
        **inputs_notice(page.project),
    )


def _practice_url(page: OpenedPage) -> str:
    """Return the address of exercises for the page's role, or ""."""
    series = series_of(page.project) if page.role == Role.GENERATOR else ""
    return reverse("annotation:practice-start", args=[series]) if series else ""


def render_guidelines_page(request: HttpRequest, page: OpenedPage, *, hint: str) -> HttpResponse:
    """Render a preview that shows no item."""
    context = {
        "title": title_of(scheme_of(page.project), page.role),
        **guidelines_context(request, page.guidelines),
        "consent_text": render_markdown(page.asked_first.consent_text),
        "asked_first": page.asked_first,
        "hint": hint,
        **inputs_notice(page.project),
    }
    return render(request, "annotation/guidelines_preview.html", context)


def _way_back(request: HttpRequest) -> dict[str, str] | None:
    """Return the link to the session's page, with its progress, or None outside a session."""
    link = task_link(request.GET.dict())
    if link is None:
        return None
    session = session_with(external_id=link.session)
    progress = progress_of(session=session, now=timezone.now())
    title = gettext("Task %(done)s of %(most)s") % {
        "done": progress.done + 1,
        "most": progress.most,
    }
    return {"url": session_url(session), "title": title}


@page_endpoint
def draft(request: HttpRequest) -> HttpResponse:
    message = read_page_message(request)
    saved = save_draft(
        claim=page_token_of(message.token),
        state=message,
        now=timezone.now(),
        address=request.META.get("REMOTE_ADDR", ""),
    )
    return saved_response(saved)


def saved_response(draft: PageDraft) -> JsonResponse:
    """Return the answer to a save: the revision and the number of moves that are stored."""
    return JsonResponse(
        {
            "revision": draft.revision,
            "submitted": bool(draft.submitted_at),
            "moves": draft.moves,
        }
    )


@page_endpoint
def submit(request: HttpRequest) -> HttpResponse:
    message = read_page_message(request)
    answer = submit_draft(
        claim=page_token_of(message.token),
        state=message,
        parse=parse_generation,
        now=timezone.now(),
        address=request.META.get("REMOTE_ADDR", ""),
    )
    return submitted_response(answer, message)


def submitted_response(answer: str, state: PageState) -> JsonResponse:
    """Return the fields that the page posts to the marketplace, with the form in which they are."""
    form = {"definition": state.definition} if state.definition else {}
    return JsonResponse({"fields": {"content": answer, **form}})


@page_endpoint
def look_up(request: HttpRequest) -> HttpResponse:
    message = read_look_up_message(request)
    task = readable_task(claim=page_token_of(message.token), now=timezone.now())
    results = look_up_for_page(
        project=task.batch.project,
        resource=message.resource,
        query=message.query,
        items=list(task.items.values_list("pk", flat=True)),
    )
    return JsonResponse({"results": results})


@page_endpoint
def tutorial(request: HttpRequest) -> HttpResponse:
    """Return the tutorial of the page's role, or record that the worker is done with it."""
    message = read_tutorial_message(request)
    claim = page_token_of(message.token)
    now = timezone.now()
    if not message.done:
        return JsonResponse(tutorial_of_page(claim=claim, now=now))
    finish_tutorial(claim=claim, now=now)
    return JsonResponse({})


@require_GET
def resource_index(request: HttpRequest, pk: int, signature: str) -> HttpResponse:
    """Return the index of a version of a resource, which browsers may store indefinitely."""
    try:
        compressed = compressed_index(pk=pk, signature=signature)
    except UnknownIndexError as error:
        raise Http404(str(error)) from error
    accepted = request.headers.get("Accept-Encoding", "")
    if "gzip" in accepted:
        response = HttpResponse(compressed, content_type="application/json")
        response["Content-Encoding"] = "gzip"
    else:
        response = HttpResponse(gzip.decompress(compressed), content_type="application/json")
    response["Vary"] = "Accept-Encoding"
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    response["Access-Control-Allow-Origin"] = "*"
    return response


@require_GET
def practice_start(request: HttpRequest, series: str) -> HttpResponse:
    return redirect("annotation:practice", series=series, number=1)


@require_GET
@gzip_page
def practice(request: HttpRequest, series: str, number: int) -> HttpResponse:
    lesson = _lesson(series, number)
    page = practice_page(lesson)
    page["urls"] = {"check": reverse("annotation:practice-check", args=[series, number])}
    return render_work_page(
        request,
        scheme=lesson.scheme,
        role="practice",
        page=page,
        guidelines=practice_guidelines(lesson),
        base="annotation/practice.html",
        module_role=Role.GENERATOR,
        lesson=lesson,
    )


@page_endpoint
def practice_check(request: HttpRequest, series: str, number: int) -> HttpResponse:
    content = read_practice_message(request)
    result = check_answers(lesson=_lesson(series, number), content=content)
    context = {"rows": result.rows, "other_side": gettext("Expert")}
    rows = render_to_string("annotation/aligned_rows.html", context)
    return JsonResponse({"summary": translated(result.summary), "rows": rows})


def _lesson(series: str, number: int) -> Lesson:
    try:
        return find_lesson(series=series, number=number)
    except ExerciseNotFoundError as error:
        raise Http404(str(error)) from error

"""Pages of a session: arrival, progress, the next task, and the way back to the provider.

They open in a tab of their own. Signed addresses authorize them, and no page needs a cookie.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.work.onboarding.session_consent import (
    ConsentTextChangedError,
    accept_consent,
    missing_consent,
    project_of,
)
from annotation.onboarding_page import NEW_TEXT, inputs_notice
from consolidation.domain.cases.deal_task import deal_next, earns_code
from crowd.domain.provider.providers import NO_ANSWER, knows_sessions
from crowd.domain.sessions.arrivals import InvalidArrivalError
from crowd.domain.sessions.deal_hit import has_room, submit_deal, task_number
from crowd.domain.sessions.open_session import (
    AnotherSessionError,
    SessionLimitError,
    SessionOverError,
    open_session,
    reviewed_by,
    session_with,
)
from crowd.domain.sessions.session_links import (
    deal_token_of,
    next_url,
    session_id_of,
    session_url,
    task_url,
)
from crowd.domain.sessions.session_progress import progress_of
from crowd.domain.sessions.session_rules import done_tasks
from crowd.domain.sessions.sync_sessions import decline_session, finish_session, sync_session
from crowd.enums import Provider, SessionState
from crowd.models import StudySession
from web.markdown import render_markdown

View = Callable[..., HttpResponseBase]
NOT_ACCEPTED = gettext_lazy("Agree to the text, or choose “I don’t take part”.")
LATER = gettext_lazy("We can't reach {provider} at the moment. Wait a minute and reload this page.")


def session_page(view: View) -> View:
    """Decorate a page of a session. Errors are plain pages without any task."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, **kwargs: object) -> HttpResponseBase:
        try:
            return view(request, **kwargs)
        except (InvalidArrivalError, SessionLimitError) as error:
            return _problem(request, str(error), status=403)
        except SessionOverError as over:
            return _over(request, over)

    return guarded


def _problem(request: HttpRequest, message: str, *, status: int) -> HttpResponse:
    context = {"message": message}
    return render(request, "consolidation/session_problem.html", context, status=status)


def _over(request: HttpRequest, over: SessionOverError) -> HttpResponse:
    """Say that the session is over, and what was saved of it."""
    context: dict[str, Any] = {"session": over.session}
    if session := over.session:
        context |= {
            "token": session_url(session).rstrip("/").rsplit("/", 1)[-1],
            "provider": Provider(session.study.provider).label,
            "done": done_tasks(session),
            "unsaved": over.unsaved and task_number(over.unsaved),
            "has_timed_out": session.provider_state == "timed-out"
            or (session.state == SessionState.ACTIVE and timezone.now() >= session.deadline),
        }
    return render(request, "consolidation/session_over.html", context, status=410)


@require_GET
@session_page
def arrive(request: HttpRequest, provider: str) -> HttpResponseBase:
    """Open the session of a worker who comes from the provider."""
    if not knows_sessions(provider):
        raise InvalidArrivalError(gettext("This address is not valid. Open the study again."))
    parameters = request.GET.dict()
    try:
        session = _open(provider, parameters)
    except NO_ANSWER:
        message = LATER.format(provider=Provider(provider).label)
        return _problem(request, message, status=503)
    except AnotherSessionError as error:
        return _another_session(request, error.session)
    return redirect(session_url(session))


def _open(provider: str, parameters: dict[str, str]) -> StudySession:
    """Open the session. One before it may have ended at the provider without our knowledge."""
    try:
        return open_session(provider=provider, parameters=parameters, now=timezone.now())
    except AnotherSessionError as error:
        sync_session(session=error.session, now=timezone.now())
        return open_session(provider=provider, parameters=parameters, now=timezone.now())


def _another_session(request: HttpRequest, session: StudySession) -> HttpResponse:
    """Explain why the worker can't start another session yet, and when they can."""
    context = {
        "provider": Provider(session.study.provider).label,
        "title": session.study.hit_type.title,
        "continues": session_url(session) if session.state == SessionState.ACTIVE else "",
        "reviewed_by": reviewed_by(session),
    }
    return render(request, "consolidation/session_other.html", context, status=409)


@require_GET
@session_page
def session(request: HttpRequest, token: str) -> HttpResponseBase:
    row = session_with(external_id=session_id_of(token))
    context = _overview(row, token)
    if not context["progress"].is_active:
        raise SessionOverError(row)
    if missing_consent(project=context["project"], session=row):
        return _ask_consent(request, context)
    context |= {
        "has_room": has_room(row, timezone.now()),
        "is_empty": "empty" in request.GET,
    }
    return render(request, "consolidation/session.html", context)


def _overview(session: StudySession, token: str) -> dict[str, Any]:
    """Return what the pages of an open session show."""
    return {
        "session": session,
        "project": project_of(session),
        "progress": progress_of(session=session, now=timezone.now()),
        "token": token,
        "provider": Provider(session.study.provider).label,
    }


def _ask_consent(
    request: HttpRequest, context: dict[str, Any], *, problem: str = ""
) -> HttpResponse:
    text = missing_consent(project=context["project"], session=context["session"])
    assert text
    context |= {"text": text, "consent_text": render_markdown(text.text), "problem": problem}
    context |= inputs_notice(context["project"])
    status = 422 if problem else 200
    return render(request, "consolidation/session_consent.html", context, status=status)


@csrf_exempt  # the address is signed, and pages of sessions have no cookies
@require_POST
@session_page
def consent(request: HttpRequest, token: str) -> HttpResponseBase:
    """Store the worker's consent, and open the session's page."""
    row = session_with(external_id=session_id_of(token))
    if row.state != SessionState.ACTIVE:
        raise SessionOverError(row)
    if "accepts" not in request.POST:
        return _ask_consent(request, _overview(row, token), problem=str(NOT_ACCEPTED))
    version = request.POST.get("version", "")
    try:
        accept_consent(session=row, version=version, now=timezone.now())
    except ConsentTextChangedError:
        return _ask_consent(request, _overview(row, token), problem=str(NEW_TEXT))
    return redirect(session_url(row))


@csrf_exempt  # the address is signed, and pages of sessions have no cookies
@require_POST
@session_page
def decline(request: HttpRequest, token: str) -> HttpResponseBase:
    """Record that the worker does not take part, and explain how to return the place."""
    row = session_with(external_id=session_id_of(token))
    context = _overview(row, token)
    context["address"] = decline_session(session=row, now=timezone.now())
    return render(request, "consolidation/session_declined.html", context)


@require_GET
@session_page
def next_task(request: HttpRequest, token: str) -> HttpResponseBase:
    """Open the session's task, or its page if there is no further one."""
    row = session_with(external_id=session_id_of(token))
    if row.state != SessionState.ACTIVE:
        raise SessionOverError(row)
    if missing_consent(project=project_of(row), session=row):
        return redirect(session_url(row))
    deal = deal_next(session=row, now=timezone.now())
    if deal is None:
        return redirect(f"{session_url(row)}?empty")
    return HttpResponseRedirect(task_url(deal))


@csrf_exempt  # the address is signed, and pages of sessions have no cookies
@require_POST
@session_page
def submit(request: HttpRequest, token: str) -> HttpResponseBase:
    answer = {key: value for key, value in request.POST.dict().items() if key != "assignmentId"}
    row = submit_deal(token=deal_token_of(token), answer=answer, now=timezone.now())
    row = session_with(external_id=row.external_id)
    if not has_room(row, timezone.now()):
        return redirect(session_url(row))
    return redirect(next_url(row))


@csrf_exempt  # the address is signed, and pages of sessions have no cookies
@require_POST
@session_page
def finish(request: HttpRequest, token: str) -> HttpResponseBase:
    """Record that the worker is done, and return them to the provider.

    With few tasks, they are asked to return the place instead, or to go on.
    """
    row = session_with(external_id=session_id_of(token))
    if row.state == SessionState.ACTIVE and not earns_code(session=row, now=timezone.now()):
        return _leave_early(request, row, token)
    if row.state not in (SessionState.ACTIVE, SessionState.FINISHED):
        raise SessionOverError(row)
    context = {
        "address": finish_session(session=row, now=timezone.now()),
        "provider": Provider(row.study.provider).label,
    }
    # Not a redirect, which the policy on forms would refuse, and which can get lost.
    return render(request, "consolidation/session_finished.html", context)


def _leave_early(request: HttpRequest, session: StudySession, token: str) -> HttpResponse:
    context = {**_overview(session, token), "has_room": has_room(session, timezone.now())}
    return render(request, "consolidation/session_early.html", context)

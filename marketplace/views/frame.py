"""URLs of the frame that shows a requester's page, and its security policy."""

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from marketplace.domain.submit_tokens import submit_token
from marketplace.models import Assignment


def framing(request: HttpRequest, response: HttpResponse, sources: list[str]) -> HttpResponseBase:
    """Allow the response to frame these sources and no others."""
    decorated: Callable[[HttpRequest], HttpResponseBase] = csp_update({"frame-src": sources})(
        lambda _: response
    )
    return decorated(request)


def frame_url(external_url: str, query: str) -> str:
    """Return the requester's URL with parameters added to its query."""
    parts = urlsplit(external_url)
    return parts._replace(query="&".join(filter(None, (parts.query, query)))).geturl()


def origin_of(url: str) -> str:
    """Return the origin of a URL as a Content-Security-Policy source."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def work_url(assignment: Assignment) -> str:
    token = submit_token(assignment_code=assignment.code, worker_code=assignment.worker.code)
    query = {
        "assignmentId": assignment.code,
        "hitId": assignment.hit.code,
        "workerId": assignment.worker.code,
        "turkSubmitTo": submit_url() + token,
    }
    return frame_url(assignment.hit.external_url, urlencode(query))


def submit_url() -> str:
    """Return the start of the URLs that receive submissions, also as a policy source."""
    return f"{settings.MARKETPLACE_URL}/hits/submit/"

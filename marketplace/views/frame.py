"""The frame that shows a requester's page: its address, and what may be framed."""

from collections.abc import Callable
from urllib.parse import quote_plus, urlsplit

from csp.decorators import csp_replace, csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from marketplace.domain.queries import WorkPage
from marketplace.domain.submit_tokens import submit_token


def framing(request: HttpRequest, response: HttpResponse, sources: list[str]) -> HttpResponseBase:
    """The response, allowed to frame these sources and no others."""
    decorated: Callable[[HttpRequest], HttpResponseBase] = csp_update({"frame-src": sources})(
        lambda _: response
    )
    return decorated(request)


def with_policy(
    request: HttpRequest, response: HttpResponse, directives: dict[str, list[str]]
) -> HttpResponseBase:
    """The response with these directives in place of the site's own."""
    decorated: Callable[[HttpRequest], HttpResponseBase] = csp_replace(directives)(
        lambda _: response
    )
    return decorated(request)


def frame_url(external_url: str, query: str) -> str:
    """The requester's address with our parameters added to its query."""
    parts = urlsplit(external_url)
    return parts._replace(query="&".join(filter(None, (parts.query, query)))).geturl()


def origin_of(url: str) -> str:
    """scheme://host:port, as a Content-Security-Policy source."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def work_url(page: WorkPage) -> str:
    # Codes are capitals and digits; only the address needs quoting.
    there = quote_plus(submit_to(page.code, page.worker_code))
    query = (
        f"assignmentId={page.code}&hitId={page.hit_code}&workerId={page.worker_code}"
        f"&turkSubmitTo={there}"
    )
    return frame_url(page.external_url, query)


def submit_to(assignment_code: str, worker_code: str) -> str:
    token = submit_token(assignment_code=assignment_code, worker_code=worker_code)
    return f"{settings.MARKETPLACE_URL}/hits/submit/{token}"


def answer_page_source() -> str:
    """Where the frame goes when it submits: a source that covers these pages and no others."""
    return f"{settings.MARKETPLACE_URL}/hits/submit/"

"""URLs of the frame that shows a requester's page, and its security policy."""

import re
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from urllib.parse import urlencode, urlsplit

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import get_language

from marketplace.domain.questions.content_keys import content_key
from marketplace.domain.questions.frame_signature import PARAMETER, frame_signature
from marketplace.domain.questions.moved_site import is_own_requester, present_url
from marketplace.domain.questions.submit_tokens import submit_token
from marketplace.models import Assignment, Hit, HitType
from web.interface_language import PARAMETER as LANGUAGE_PARAMETER

#: What a page of this site may do in the frame. It has an opaque origin there.
SANDBOX = "allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox"
#: What the page of an HTMLQuestion may do. The response says so too, for a tab of its own.
CONTENT_SANDBOX = f"{SANDBOX} allow-modals allow-downloads"
#: What a page of another origin may do too: sessions, storage, requests to its server, dialogs.
FOREIGN_SANDBOX = f"{SANDBOX} allow-same-origin allow-modals allow-downloads"
DEFAULT_PORTS = {"https": 443, "http": 80}
#: The last label of hosts that browsers read as IPv4 addresses, such as 127.1 or 0x7f.1.
NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")


def sandbox_of(request: HttpRequest, external_url: str) -> str:
    """Return the sandbox of a frame. A page of this site's own origins could remove a wider one."""
    if _is_content(external_url):
        return CONTENT_SANDBOX
    return FOREIGN_SANDBOX if _is_foreign(request, external_url) else SANDBOX


def _is_content(url: str) -> bool:
    content = settings.MARKETPLACE_CONTENT_URL
    return bool(content) and _origin_key(url) == _origin_key(content)


def _is_foreign(request: HttpRequest, url: str) -> bool:
    own = (settings.MARKETPLACE_URL, settings.SITE_URL, request.build_absolute_uri("/"))
    origin = _origin_key(url)
    return origin is not None and origin not in map(_origin_key, own)


def _origin_key(url: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port as browsers compare them, or None for an unusual IP address."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    if ":" in host or NUMBER.fullmatch(host.rpartition(".")[2]):
        try:
            host = str(ip_address(host))
        except ValueError:
            return None
    return parts.scheme, host, parts.port or DEFAULT_PORTS[parts.scheme]


def framing(request: HttpRequest, response: HttpResponse, sources: list[str]) -> HttpResponseBase:
    """Allow the response to frame these sources and no others, whose pop-ups keep their opener."""
    response["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
    decorated: Callable[[HttpRequest], HttpResponseBase] = csp_update({"frame-src": sources})(
        lambda _: response
    )
    return decorated(request)


def frame_url(external_url: str, query: str) -> str:
    """Return the requester's URL with parameters added to its query."""
    parts = urlsplit(external_url)
    return parts._replace(query="&".join(filter(None, (parts.query, query)))).geturl()


def keyed_url(hit: Hit, url: str, query: Mapping[str, str]) -> str:
    """Return the URL of a HIT's page with its query. That of an HTMLQuestion expires."""
    key = {"key": content_key(hit.code)} if _is_content(url) else {}
    return frame_url(url, urlencode({**query, **key}))


def origin_of(url: str) -> str:
    """Return the origin of a URL as a Content-Security-Policy source."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def page_url(hit: Hit, hit_type: HitType) -> str:
    """Return the URL of the HIT's page, or "" if the marketplace shows the HIT itself."""
    return present_url(external_url=hit.external_url, requester_id=hit_type.requester_id)


def work_url(assignment: Assignment, url: str) -> str:
    """Return the URL of the assignment's page with its parameters. That of the site's page is signed."""
    token = submit_token(assignment_code=assignment.code, worker_code=assignment.worker.code)
    query = {
        "assignmentId": assignment.code,
        "hitId": assignment.hit.code,
        "workerId": assignment.worker.code,
        "turkSubmitTo": submit_url() + token,
    }
    signature = frame_signature(
        path=urlsplit(url).path,
        assignment=assignment.code,
        worker=assignment.worker.code,
        requester_id=assignment.hit_type.requester_id,
    )
    if signature:
        query[PARAMETER] = signature
    return keyed_url(assignment.hit, url, query)


def in_chosen_language(request: HttpRequest, url: str, hit_type: HitType) -> str:
    """Add the worker's choice of a language to the URL of the site's own page, which has no cookie."""
    if settings.LANGUAGE_COOKIE_NAME not in request.COOKIES or not is_own_requester(
        hit_type.requester_id
    ):
        return url
    return frame_url(url, urlencode({LANGUAGE_PARAMETER: get_language()}))


def submit_url() -> str:
    """Return the start of the URLs that receive submissions, also as a policy source."""
    return f"{settings.MARKETPLACE_URL}/hits/submit/"

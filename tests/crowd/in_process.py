"""The built-in marketplace without a server. A real boto3 client sends its requests to the view."""

from collections.abc import Callable
from datetime import timedelta
from functools import cache
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from botocore.awsrequest import AWSResponse
from botocore.config import Config
from django.conf import settings
from django.test import RequestFactory
from django.utils import timezone

from crowd.domain.hits.sync_hits import request_sync
from crowd.models import Hit
from crowd.providers.mturk.client import MTurk, new_client
from marketplace import models as market_models
from marketplace.api.endpoint import requester_api
from marketplace.domain.accounts import accounts
from marketplace.domain.faults import parse_faults
from marketplace.domain.work import accept_hit, work

ADDRESS = "http://127.0.0.1/mturk/"
Faults = Callable[[str], str]  # operation -> MARKETPLACE_FAULTS for one request


def no_faults(operation: str) -> str:
    return ""


class Killed(BaseException):
    """The calling process ended before it could store the response."""


class _Body(BytesIO):
    def stream(self, **_: Any):
        yield self.read()


class InProcess:
    """A connection that reads `faults` before each request and records the operations in `calls`."""

    def __init__(self) -> None:
        self.faults: Faults = no_faults
        self.calls: list[str] = []
        self.kill_next = False

    def send(self, request: Any, **_: Any) -> AWSResponse:
        operation = request.headers["X-Amz-Target"].decode().rpartition(".")[2]
        self.calls.append(operation)
        # A new random generator, so that the faults of the campaign decide each request.
        parse_faults.cache_clear()
        settings.MARKETPLACE_FAULTS = self.faults(operation)
        headers = {
            f"HTTP_{name.upper().replace('-', '_')}": _text(value)
            for name, value in request.headers.items()
        }
        content_type = headers.pop("HTTP_CONTENT_TYPE")
        parts = urlsplit(request.url)
        request_to_view = RequestFactory().generic(
            request.method,
            parts.path,
            data=request.body,
            content_type=content_type,
            **headers | {"HTTP_HOST": parts.netloc},
        )
        answer = requester_api(request_to_view)
        settings.MARKETPLACE_FAULTS = ""
        if self.kill_next:
            self.kill_next = False
            raise Killed
        return AWSResponse(
            request.url, answer.status_code, dict(answer.items()), _Body(answer.content)
        )


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


@cache
def _client() -> Any:
    """Return a client with a single attempt per request, because the sweeps retry later."""
    return new_client(
        region_name="us-east-1",
        endpoint_url=ADDRESS,
        aws_access_key_id=settings.MTURK_ACCESS_KEY_ID,
        aws_secret_access_key=settings.MTURK_SECRET_ACCESS_KEY,
        config=Config(retries={"mode": "standard", "total_max_attempts": 1}),
    )


def connect(wire: InProcess) -> MTurk:
    events = _client().meta.events
    events.unregister("before-send.mturk", unique_id="in-process")
    events.register("before-send.mturk", wire.send, unique_id="in-process")
    return MTurk(_client(), requests_per_second=0)


# --- workers ------------------------------------------------------------------------------------


def join(number: int) -> market_models.WorkerAccount:
    (invitation,) = accounts.invite(count=1, now=timezone.now())
    return accounts.sign_up(
        invitation_code=invitation.code,
        username=f"worker-{number}",
        email=f"worker-{number}@example.org",
        password="correct horse battery",
        country="US",
        subdivision="",
        is_adult=True,
        now=timezone.now(),
    )


def accept(hit: Hit, worker: market_models.WorkerAccount) -> str:
    assert hit.external_id
    return accept_hit.accept_hit(worker=worker, hit_code=hit.external_id, now=timezone.now())


def submit(
    hit: Hit, worker: market_models.WorkerAccount, assignment: str, content: str = "{}"
) -> None:
    work.submit(
        worker_code=worker.code,
        assignment_code=assignment,
        fields=[("content", content)],
        now=timezone.now(),
    )
    request_sync(hit_id=hit.pk, now=timezone.now())


def finish(hit: Hit, worker: market_models.WorkerAccount, content: str = "{}") -> str:
    assignment = accept(hit, worker)
    submit(hit, worker, assignment, content)
    return assignment


class Times:
    """A clock that can be moved ahead, past leases and pauses."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def __call__(self):
        return timezone.now() + self._ahead

    def skip(self, **span: float) -> None:
        self._ahead += timedelta(**span)

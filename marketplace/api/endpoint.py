"""The endpoint of the Requester API, which uses JSON 1.1 and SigV4 signatures."""

import json
import logging
import time
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from marketplace.api import assignments, hits, people, reviews
from marketplace.api.context import OPERATIONS, Call
from marketplace.api.shapes import check_input, operation_names
from marketplace.domain.access_keys import find_signer
from marketplace.domain.errors import ApiError
from marketplace.domain.faults import Faults, parse_faults
from marketplace.domain.signature import (
    NotAuthenticError,
    SignedRequest,
    read_authorization,
    verify,
)
from marketplace.models import Requester

__all__ = ["assignments", "hits", "people", "requester_api", "reviews"]

log = logging.getLogger("touchstone.marketplace")
SERVICE = "MTurkRequesterServiceV20170117"
CONTENT_TYPE = "application/x-amz-json-1.1"


@csrf_exempt
@require_POST
def requester_api(request: HttpRequest) -> HttpResponse:
    """Run an API call. Errors are JSON with MTurk's codes."""
    faults = parse_faults(settings.MARKETPLACE_FAULTS)
    try:
        output = _run(request, faults, timezone.now())
    except ApiError as error:
        return _error(error)
    except Exception:
        log.exception("Requester API call failed")
        return _error(_service_fault("The service failed. Try again."))
    return _reply(200, output)


def _run(request: HttpRequest, faults: Faults, now: datetime) -> dict[str, Any]:
    requester = _authenticate(request, now)
    prefix, _, name = request.headers.get("X-Amz-Target", "").partition(".")
    if prefix != SERVICE or name not in operation_names():
        raise ApiError("UnknownOperationException", f"The operation {name!r} does not exist.")
    if faults.happens("throttle"):
        raise ApiError("ThrottlingException", "Rate exceeded")
    if faults.happens("fail"):
        raise _service_fault("The service is unavailable (simulated fault).")
    call = Call(requester, now, faults.visible_until(now))
    output = OPERATIONS[name](call, check_input(name, _json(request.body))) or {}
    if faults.happens("timeout_after_success"):
        time.sleep(faults.hang)
        raise _service_fault(
            "The response was lost after the operation succeeded (simulated fault)."
        )
    return output


def _authenticate(request: HttpRequest, now: datetime) -> Requester:
    headers = {name.lower(): value for name, value in request.headers.items()}
    authorization = read_authorization(headers, now=now)
    signer = find_signer(authorization.access_key_id, now=now)
    if signer is None:
        raise NotAuthenticError(
            "UnrecognizedClientException", "The security token included in the request is invalid."
        )
    signed = SignedRequest(
        request.method or "", request.path, request.META["QUERY_STRING"], headers, _body(request)
    )
    requester, secret = signer
    verify(signed, authorization, secret=secret)
    _throttle(authorization.access_key_id)
    return requester


def _throttle(access_key_id: str) -> None:
    """Count the requests of a key and raise a throttling error above the limit."""
    limit = settings.MARKETPLACE_REQUESTS_PER_SECOND
    if not limit:
        return
    # A rate below one request per second uses a longer window.
    window = max(1.0, 1.0 / limit)
    counter = f"marketplace.requests.{access_key_id}.{int(time.time() / window)}"
    cache.add(counter, 0, timeout=int(window) + 2)
    try:
        count = cache.incr(counter)
    except ValueError:
        return  # the counter expired since `add`
    if count > limit * window:
        raise ApiError("ThrottlingException", "Rate exceeded")


def _body(request: HttpRequest) -> bytes:
    if "Transfer-Encoding" in request.headers:
        raise ApiError(
            "SerializationException",
            "Send the body at once, with Content-Length and without Transfer-Encoding.",
            status=411,
        )
    try:
        return request.body
    except RequestDataTooBig:
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE >> 20
        raise ApiError(
            "RequestEntityTooLargeException", f"The body is larger than {most} MiB.", status=413
        ) from None


def _json(body: bytes) -> Any:
    """Parse a body whose values every database can store. Raise ApiError."""
    try:
        params = json.loads(body or b"{}")
        json.dumps(params, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise ApiError("SerializationException", "A string has half a surrogate pair.") from None
    except RecursionError:
        raise ApiError("SerializationException", "The body is nested too deeply.") from None
    except ValueError:
        raise ApiError(
            "SerializationException", "The body is not JSON, or a number is not finite."
        ) from None
    return params


def _service_fault(message: str) -> ApiError:
    return ApiError("ServiceFault", message, code="AWS.ServiceUnavailable", status=500)


def _error(error: ApiError) -> HttpResponse:
    body = {"__type": error.kind, "Message": error.message, "message": error.message}
    if error.code:
        body["TurkErrorCode"] = error.code
    return _reply(error.status, body)


def _reply(status: int, body: dict[str, Any]) -> HttpResponse:
    response = HttpResponse(
        json.dumps(body, separators=(",", ":")), status=status, content_type=CONTENT_TYPE
    )
    response["x-amzn-RequestId"] = str(uuid4())
    return response

"""Verification of AWS Signature Version 4, with which requests are signed."""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.compat import HTTPHeaders
from botocore.credentials import Credentials
from django.conf import settings

from marketplace.domain.errors import ApiError

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "mturk-requester"
CLOCK_SKEW = timedelta(minutes=5)
STAMP = "%Y%m%dT%H%M%SZ"
MUST_BE_SIGNED = ("host", "x-amz-date", "x-amz-target")
CREDENTIAL = re.compile(r"([A-Za-z0-9]{16,64})/([0-9]{8})/([a-z0-9-]+)/([a-z0-9-]+)/aws4_request")
AUTHORIZATION = re.compile(
    rf"{ALGORITHM} +Credential=([^, ]+), *SignedHeaders=([a-z0-9;-]+), *Signature=([0-9a-f]{{64}})"
)


class NotAuthenticError(ApiError):
    """A request whose signature is missing or invalid."""


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A received request with lower-case header names, a decoded path and the raw query."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Authorization:
    """The unverified contents of the Authorization header."""

    access_key_id: str
    region: str
    signed_headers: tuple[str, ...]
    signature: str
    stamp: str


def read_authorization(headers: Mapping[str, str], *, now: datetime) -> Authorization:
    """Parse the Authorization header and check its date and scope. Raise NotAuthenticError."""
    header = headers.get("authorization")
    if not header:
        raise NotAuthenticError(
            "MissingAuthenticationTokenException", "Missing Authentication Token"
        )
    parts = AUTHORIZATION.fullmatch(header)
    scope = CREDENTIAL.fullmatch(parts[1]) if parts else None
    stamp = headers.get("x-amz-date", "")
    if not parts or not scope or not stamp:
        raise NotAuthenticError(
            "IncompleteSignatureException",
            f"The Authorization header must be {ALGORITHM} with Credential, SignedHeaders and "
            "Signature, and the X-Amz-Date header is required.",
        )
    _check_date(stamp, scope[2], now)
    if (scope[3], scope[4]) != (settings.MTURK_REGION, SERVICE):
        raise NotAuthenticError(
            "InvalidSignatureException",
            f"The credential must be scoped to the region {settings.MTURK_REGION} and the service "
            f"{SERVICE}.",
        )
    signed = tuple(parts[2].split(";"))
    missing = [name for name in MUST_BE_SIGNED if name in headers and name not in signed]
    if missing:
        raise NotAuthenticError(
            "InvalidSignatureException", f"These headers must be signed: {', '.join(missing)}."
        )
    return Authorization(scope[1], scope[3], signed, parts[3], stamp)


def verify(request: SignedRequest, authorization: Authorization, *, secret: str) -> None:
    """Raise NotAuthenticError unless `secret` produces the claimed signature."""
    signer = _Signer(authorization, request.headers, secret)
    # Headers are left out, because botocore would trust X-Amz-Content-SHA256 unchecked.
    url = f"http://{request.headers.get('host', '')}{request.path}?{request.query}"
    received = AWSRequest(request.method, url, data=request.body)
    received.context["timestamp"] = authorization.stamp
    text = signer.string_to_sign(received, signer.canonical_request(received))
    if not hmac.compare_digest(signer.signature(text, received), authorization.signature):
        raise NotAuthenticError(
            "InvalidSignatureException",
            "The request signature we calculated does not match the signature you provided. "
            "Check your secret access key and signing method.",
        )


class _Signer(SigV4Auth):
    """A signer that signs the headers in the authorization instead of botocore's own choice."""

    def __init__(
        self, authorization: Authorization, headers: Mapping[str, str], secret: str
    ) -> None:
        super().__init__(
            Credentials(authorization.access_key_id, secret), SERVICE, authorization.region
        )
        self._headers = HTTPHeaders()
        for name in authorization.signed_headers:
            self._headers[name] = headers.get(name, "")

    def headers_to_sign(self, request: AWSRequest) -> HTTPHeaders:
        return self._headers


def _check_date(stamp: str, day: str, now: datetime) -> None:
    try:
        signed_at = datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)
    except ValueError:
        raise NotAuthenticError(
            "IncompleteSignatureException", f"X-Amz-Date must look like {STAMP}."
        ) from None
    if stamp[:8] != day:
        raise NotAuthenticError(
            "InvalidSignatureException", "The credential's date does not match X-Amz-Date."
        )
    if abs(now - signed_at) > CLOCK_SKEW:
        raise NotAuthenticError(
            "InvalidSignatureException",
            f"Signature expired: {stamp} is more than 5 minutes from {now.strftime(STAMP)}.",
        )

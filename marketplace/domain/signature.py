"""AWS Signature Version 4: who sent a request, proved by an access key's secret.

After "Authenticating Requests (AWS Signature Version 4)" in AWS's general reference. The signing
key depends on the secret, the day, the region and the service alone: derived once for each.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from urllib.parse import quote

ALGORITHM = "AWS4-HMAC-SHA256"
CLOCK_SKEW = timedelta(minutes=5)
STAMP = "%Y%m%dT%H%M%SZ"
MUST_BE_SIGNED = ("host", "x-amz-date", "x-amz-target")
CREDENTIAL = re.compile(r"([A-Za-z0-9]{16,64})/([0-9]{8})/([a-z0-9-]+)/([a-z0-9-]+)/aws4_request")
AUTHORIZATION = re.compile(
    rf"{ALGORITHM} +Credential=([^, ]+), *SignedHeaders=([a-z0-9;-]+), *Signature=([0-9a-f]{{64}})"
)


class NotAuthenticError(Exception):
    """`kind` is the exception that AWS names in such a case."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A request as it came in: header names in lower case, the path decoded, the query as sent."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Claim:
    """What the Authorization header says; nothing of it is proved yet."""

    access_key_id: str
    day: str
    region: str
    service: str
    signed_headers: tuple[str, ...]
    signature: str
    stamp: str


def read_claim(headers: Mapping[str, str], *, now: datetime) -> Claim:
    """Parses the Authorization header and checks its date; raises NotAuthenticError."""
    given = headers.get("authorization")
    if not given:
        raise NotAuthenticError(
            "MissingAuthenticationTokenException", "Missing Authentication Token"
        )
    parts = AUTHORIZATION.fullmatch(given)
    scope = CREDENTIAL.fullmatch(parts[1]) if parts else None
    stamp = headers.get("x-amz-date", "")
    if not parts or not scope or not stamp:
        raise NotAuthenticError(
            "IncompleteSignatureException",
            f"The Authorization header must be {ALGORITHM} with Credential, SignedHeaders and "
            "Signature, and an X-Amz-Date header must be there.",
        )
    _check_date(stamp, scope[2], now)
    signed = tuple(parts[2].split(";"))
    missing = [name for name in MUST_BE_SIGNED if name in headers and name not in signed]
    if missing:
        raise NotAuthenticError(
            "InvalidSignatureException", f"These headers must be signed: {', '.join(missing)}."
        )
    return Claim(scope[1], scope[2], scope[3], scope[4], signed, parts[3], stamp)


def verify(request: SignedRequest, claim: Claim, *, secret: str) -> None:
    """Raises NotAuthenticError unless `secret` makes this very signature for this request."""
    scope = f"{claim.day}/{claim.region}/{claim.service}/aws4_request"
    canonical = hashlib.sha256(_canonical(request, claim).encode()).hexdigest()
    to_sign = "\n".join((ALGORITHM, claim.stamp, scope, canonical))
    key = _signing_key(secret, claim.day, claim.region, claim.service)
    expected = hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, claim.signature):
        raise NotAuthenticError(
            "InvalidSignatureException",
            "The request signature we calculated does not match the signature you provided. "
            "Check your secret access key and signing method.",
        )


def _check_date(stamp: str, day: str, now: datetime) -> None:
    try:
        signed_at = datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)
    except ValueError:
        raise NotAuthenticError(
            "IncompleteSignatureException", f"X-Amz-Date must look like {STAMP}."
        ) from None
    if stamp[:8] != day:
        raise NotAuthenticError(
            "InvalidSignatureException", "The credential's date is not that of X-Amz-Date."
        )
    if abs(now - signed_at) > CLOCK_SKEW:
        raise NotAuthenticError(
            "InvalidSignatureException",
            f"Signature expired: {stamp} is more than 5 minutes from {now.strftime(STAMP)}.",
        )


def _canonical(request: SignedRequest, claim: Claim) -> str:
    headers = "".join(
        f"{name}:{' '.join(request.headers.get(name, '').split())}\n"
        for name in claim.signed_headers
    )
    pairs = sorted(pair.partition("=") for pair in filter(None, request.query.split("&")))
    query = "&".join(f"{name}={value}" for name, _, value in pairs)
    return "\n".join(
        (
            request.method,
            quote(request.path, safe="/-_.~"),
            query,
            headers,
            ";".join(claim.signed_headers),
            hashlib.sha256(request.body).hexdigest(),
        )
    )


@lru_cache(maxsize=1024)
def _signing_key(secret: str, day: str, region: str, service: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for part in (day, region, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key

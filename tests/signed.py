"""Sign the addresses of workers' pages, as our own marketplace does."""

import hashlib
import hmac
import os
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from django.conf import settings


def signed(address: str, *, secret: str = "") -> str:
    """Return the address of a page in a frame with its signature. The default secret is ours."""
    parts = urlsplit(address)
    query = parse_qs(parts.query)
    claim = [query.get(name, [""])[0] for name in ("assignmentId", "workerId")]
    text = "\n".join(("frame", parts.path, *claim))
    key = (secret or settings.MTURK_SECRET_ACCESS_KEY).encode()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return f"{address}&frameSignature={signature}"


def secret_of_site(var: Path) -> str:
    """Return the secret of the built-in key of a site that another process serves."""
    key = os.environ.get("SECRET_KEY") or (var / "secret_key").read_text()
    return hmac.new(key.encode(), b"mturk secret access key", hashlib.sha256).hexdigest()

"""Signatures in the addresses of the site's own pages, which prove who accepted a task.

The frame has no cookies, and anyone can write an assignment and a worker into an address. The site
itself is a requester with the built-in key. The marketplace signs the addresses of its pages with the
secret of that key, so that the site knows at once that the marketplace shows the page to the worker.
"""

import hashlib
import hmac

from django.conf import settings

from marketplace.domain.questions.moved_site import is_own_requester

#: The parameter of a page's address.
PARAMETER = "frameSignature"


def frame_signature(*, path: str, assignment: str, worker: str, requester_id: int) -> str:
    """Return the signature of a page of the site, or "" for the page of another requester."""
    key = settings.MARKETPLACE_BUILTIN_KEY
    if not key or not is_own_requester(requester_id):
        return ""
    text = "\n".join(("frame", path, assignment, worker))
    return hmac.new(key[1].encode(), text.encode(), hashlib.sha256).hexdigest()

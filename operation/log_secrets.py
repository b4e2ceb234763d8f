"""What must not stand in a log: who the workers are, and what opens doors."""

import re

HIDDEN = "[hidden]"
# Each says what it hides; a worker's id is personal, a token opens a page.
_PRIVATE = (
    # Query strings of addresses: the marketplace hands workers' ids over in them.
    (re.compile(r"\?[^\s'\"<>]*=[^\s'\"<>]*"), f"?{HIDDEN}"),
    # Ids as the Requester API writes them: A... workers, 3... HITs and assignments.
    (re.compile(r"\b[A3][A-Z0-9]{9,63}\b"), HIDDEN),
    # What django.core.signing makes: value:time:signature, and signatures by themselves.
    (re.compile(r"[\w.=-]+:[\w-]{5,}:[\w-]{20,}|[\w.=-]+:[\w-]{27,}"), HIDDEN),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"), rf"\1 {HIDDEN}"),
    (
        re.compile(r"(?i)\b(token|secret|password|key)(['\"]?\s*[=:]\s*)['\"]?[^\s'\",}&]+['\"]?"),
        rf"\1\2{HIDDEN}",
    ),
    # Passwords in addresses of databases and brokers.
    (re.compile(r"(?<=://)([^\s:/@]*):[^\s@/]+(?=@)"), rf"\1:{HIDDEN}"),
    # Long runs without a space that are no words: sessions, digests, signed claims.
    (re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{38,}\b"), HIDDEN),
)


def without_secrets(text: str) -> str:
    for pattern, instead in _PRIVATE:
        text = pattern.sub(instead, text)
    return text

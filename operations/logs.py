"""Log formatters and filters that remove personal data and secrets, importable before apps are loaded."""

import logging
import re
from datetime import datetime
from typing import Any

from celery import current_task
from pythonjsonlogger.json import JsonFormatter as BaseJsonFormatter

HIDDEN = "[hidden]"
# A longer text is cut, so that formatting a record takes a bounded time.
MAX_CHARACTERS = 20_000
# Each pattern starts at the beginning of a run of characters, which keeps matching linear.
_SECRETS = (
    # Query strings: the marketplace passes workers' ids in them.
    (re.compile(r"\?[^\s'\"<>=?]*=[^\s'\"<>]*"), f"?{HIDDEN}"),
    # Ids of the Requester API: A... workers, 3... HITs and assignments.
    (re.compile(r"\b[A3][A-Z0-9]{9,63}\b"), HIDDEN),
    # The output of django.core.signing: value:time:signature or value:signature.
    (re.compile(r"(?<![\w.=-])[\w.=-]+:(?:[\w-]{5,}:[\w-]{20,}|[\w-]{43,})"), HIDDEN),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"), rf"\1 {HIDDEN}"),
    (
        re.compile(r"(?i)\b(token|secret|password|key)(['\"]?\s*[=:]\s*)['\"]?[^\s'\",}&]+['\"]?"),
        rf"\1\2{HIDDEN}",
    ),
    # Passwords in addresses of databases and brokers.
    (re.compile(r"(?<=://)([^\s:/@]*):[^\s@/]+(?=@)"), rf"\1:{HIDDEN}"),
    # Long runs of letters and digits: sessions, digests, tokens.
    (re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{38,}"), HIDDEN),
)


def redact(text: str) -> str:
    """Remove worker ids, tokens and passwords from the text, and cut it at MAX_CHARACTERS."""
    if len(text) > MAX_CHARACTERS:
        half = MAX_CHARACTERS // 2
        text = f"{text[:half]} [...] {text[-half:]}"
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


class WithoutTraceback(logging.Filter):
    """A filter that turns errors which visitors cause into warnings of one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = record.exc_text = None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


class LineFormatter(logging.Formatter):
    """A formatter that writes a line for people, followed by any traceback."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


class JsonFormatter(BaseJsonFormatter):
    """A formatter that writes one JSON object per line, with the current Celery task."""

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        if current_task and current_task.request.id:
            log_data |= {"task": current_task.name, "task_id": current_task.request.id}
        return {
            name: value if isinstance(value, int | float | datetime) else redact(str(value))
            for name, value in log_data.items()
            if value is not None
        }

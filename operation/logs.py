"""Log lines, for people and for programs.

Names no model: the settings name these classes before any app is loaded.
"""

import json
import logging
from datetime import UTC, datetime

from celery import current_task

from operation.log_secrets import without_secrets
from operation.request_id import current_request_id


def is_plain(record: logging.LogRecord) -> bool:
    """Whether the line is a fixed text around routes and numbers alone, as that of every request is."""
    return bool(getattr(record, "is_plain", False)) and not record.exc_info


class Line(logging.Formatter):
    """One line for people; a traceback follows it."""

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        return line if is_plain(record) else without_secrets(line)


def _message(record: logging.LogRecord) -> str:
    text = record.getMessage()
    return text if is_plain(record) else without_secrets(text)


class JsonLine(logging.Formatter):
    """One JSON object a line, for programs. A traceback is text inside of it."""

    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, tz=UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": _message(record),
        }
        if request_id := current_request_id():
            facts["request_id"] = request_id
        if current_task and current_task.request.id:
            facts |= {"task": current_task.name, "task_id": current_task.request.id}
        facts |= getattr(record, "facts", {})
        if record.exc_info:
            facts["traceback"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(facts, ensure_ascii=False)

"""Log lines, for people and for programs.

Names no model: the settings name these classes before any app is loaded.
"""

import json
import logging
from datetime import UTC, datetime

from celery import current_task

from operation.log_secrets import without_secrets
from operation.request_id import current_request_id


class Line(logging.Formatter):
    """One line for people; a traceback follows it."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class JsonLine(logging.Formatter):
    """One JSON object a line, for programs. A traceback is text inside of it."""

    def format(self, record: logging.LogRecord) -> str:
        facts: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, tz=UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if request_id := current_request_id():
            facts["request_id"] = request_id
        if current_task and current_task.request.id:
            facts |= {"task": current_task.name, "task_id": current_task.request.id}
        facts |= getattr(record, "facts", {})
        if record.exc_info:
            facts["traceback"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(facts, ensure_ascii=False)

"""Display of annotations on pages for staff: a unit per part."""

import json
from collections.abc import Mapping
from typing import Any

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.pages import ShownUnit, Views
from schemes.contract.values import Json
from schemes.custom.content import parse_answers
from schemes.custom.form import ANSWERS, SKIPPED, VERDICTS, Form

_MAX_SHOWN = 300


class CustomViews(Views):
    """Answers with the labels of their fields."""

    def __init__(self, form: Form) -> None:
        self._form = form

    def units(self, content: object, context: ItemContext) -> list[ShownUnit] | None:
        """Return the parts of answers, or the verdicts of a validation.

        Answers that do not fit the definition, such as those of an older version, are shown as JSON.
        """
        if not isinstance(content, Mapping):
            return None
        if isinstance(content.get(VERDICTS), list):
            return [
                ShownUnit(f"Part {at}", ["right" if verdict is True else "wrong"])
                for at, verdict in enumerate(content[VERDICTS], start=1)
            ]
        answers = content.get(ANSWERS)
        if not isinstance(answers, Mapping):
            return None
        try:
            parsed = parse_answers(self._form, content, context, is_complete=False)
        except ContentError:
            return [_raw(self._label(key), value) for key, value in answers.items()]
        return [unit.kind.shown(unit.part, context) for unit in self._form.units(parsed)]

    def remark(self, content: Json) -> str:
        reason = content.get(SKIPPED)
        return f"Skipped: {reason}" if isinstance(reason, str) and reason else ""

    def _label(self, key: Any) -> str:
        kind = self._form.by_key.get(key)
        return kind.field.label if kind else str(key)[:40]


def _raw(label: str, value: object) -> ShownUnit:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return ShownUnit(label, [text[:_MAX_SHOWN]])

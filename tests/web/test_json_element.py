"""Data of pages in script elements."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from uuid import UUID

import pytest
from django.utils import translation
from django.utils.html import json_script
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from web.json_element import json_element


class Kind(StrEnum):
    WORD = "word"


class Level(IntEnum):
    HIGH = 3


VALUES = [
    {"text": "</script><script>alert(1)</script>", "more": "a & b"},
    {"letters": "Łódź, 東京, \u2028 and 🙂", "marked": SafeString("<b>")},
    {"at": datetime(2026, 11, 2, 9, 30, 1, 123456, tzinfo=UTC), "day": date(2026, 11, 2)},
    {"sum": Decimal("1.50"), "id": UUID(int=7), 3: [None, True, 1.5], "pair": (1, 2)},
    {"kind": Kind.WORD, "level": Level.HIGH, "nested": {"empty": [], "none": {}}},
    {"label": gettext_lazy("Tasks")},
    [],
    "text",
]


@pytest.mark.parametrize("value", VALUES)
def test_data_are_those_of_djangos_element(value):
    with translation.override("de"):
        ours, djangos = json_element(value, "page"), json_script(value, "page")
    assert isinstance(ours, SafeString)
    assert _content(ours) == _content(djangos)
    assert len(ours) <= len(djangos)


def _content(element: str) -> object:
    start, end = '<script id="page" type="application/json">', "</script>"
    assert element.startswith(start)
    assert element.endswith(end)
    text = element.removeprefix(start).removesuffix(end)
    assert not set("<>&") & set(text)
    return json.loads(text)


def test_value_without_a_form_in_json_is_an_error():
    with pytest.raises(TypeError):
        json_element({"value": object()}, "page")

"""What a worker's page tells its script, as elements of the page."""

import json
from collections.abc import Mapping
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from pydantic_core import PydanticSerializationError, to_json

# As JSON writes characters that could end the element, or begin another.
ESCAPES = (("&", "\\u0026"), ("<", "\\u003C"), (">", "\\u003E"))


def page_scripts(data: Mapping[str, Any]) -> dict[str, SafeString]:
    """By the names that worker_page.html shows them by: `shared`, what all pages of a scheme have in
    common, and `script`, the rest. static/js/html.js puts them together again."""
    own = {name: value for name, value in data.items() if name != "shared"}
    return {"shared": _element("shared", data["shared"]), "script": _element("page", own)}


def _element(element_id: str, data: Any) -> SafeString:
    """Django's `json_script` with a faster encoder: a page holds a grammar, and workers open many."""
    try:
        text = to_json(data, fallback=str).decode()
    except PydanticSerializationError:  # half an emoji, which only an escape can write
        text = json.dumps(data, default=str)
    for character, escape in ESCAPES:
        text = text.replace(character, escape)
    escaped = mark_safe(text)  # noqa: S308 - just now
    return format_html('<script id="{}" type="application/json">{}</script>', element_id, escaped)

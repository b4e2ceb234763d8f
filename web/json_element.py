"""Data of a page as JSON in a script element, as small as possible."""

from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils.html import json_script
from django.utils.safestring import SafeString


class _CompactEncoder(DjangoJSONEncoder):
    """An encoder without spaces and escapes, which cost 3 bytes a letter in most alphabets."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"ensure_ascii": False, "separators": (",", ":")})


def json_element(value: object, element_id: str) -> SafeString:
    """Return a script element with the value, as Django's `json_script` does."""
    return json_script(value, element_id, encoder=_CompactEncoder)

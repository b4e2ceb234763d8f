"""Bodies as they come in, refused where the database could not keep them."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser, JSONParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # as JSON writes it, with no backslash before it


class TextJson(JSONParser):
    """JSON whose strings are text: PostgreSQL holds neither NUL nor half a surrogate pair."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            data = super().parse(stream, media_type, parser_context)
            text = json.dumps(data, ensure_ascii=False)
            text.encode()
        except RecursionError:
            raise ParseError("This is nested too deeply.") from None
        except UnicodeEncodeError:
            raise ParseError("A string holds half a surrogate pair.") from None
        if _NUL.search(text):
            raise ParseError("A string holds the character NUL.")
        return data


class AlwaysJson(BaseContentNegotiation):
    """There is one language spoken here, whatever the caller says they accept."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        kind = (request.content_type or "").split(";")[0].strip().lower()
        return next((one for one in parsers if one.media_type == kind), None)

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, str(first.media_type)

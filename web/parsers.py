import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class TextJson(JSONParser):
    """A JSON parser that refuses deep nesting, lone surrogates and numbers that are not finite."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            data = super().parse(stream, media_type, parser_context)
            json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None
        except UnicodeEncodeError:
            raise ParseError("A string contains a lone surrogate.") from None
        except ValueError:
            raise ParseError("A number is not finite.") from None
        return data

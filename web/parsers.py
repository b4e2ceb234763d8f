import codecs
import json
from collections import Counter
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser, get_encoding  # type: ignore[attr-defined]


class _RepeatedKeyError(ValueError):
    """An object has a key twice, and only one of the values could be used."""


class TextJson(JSONParser):
    """A JSON parser that refuses what other programs read differently.

    These are deep nesting, lone surrogates, numbers that are not finite, and repeated keys.
    """

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        text = codecs.getreader(get_encoding(parser_context or {}))(stream)
        try:
            data = json.load(text, object_pairs_hook=_object)
            json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None
        except UnicodeEncodeError:
            raise ParseError("A string contains a lone surrogate.") from None
        except (_RepeatedKeyError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ParseError(f"The JSON can't be read: {error}") from None
        except ValueError:
            raise ParseError("A number is not finite, or too long.") from None
        return data


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        [(repeated, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise _RepeatedKeyError(f"the key {repeated!r} is repeated.")
    return value

"""How a project declares its scheme, with definitions to start from."""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path

from schemes.contract.scheme import Declaration, Scheme
from schemes.contract.values import Json
from schemes.custom.read_definition import read_definition
from schemes.custom.resource import canonical, definition_in, definition_of

_STARTERS = Path(__file__).with_name("starters")
_TITLE = re.compile(r"^title: *(.+?) *$", re.MULTILINE)
BLANK = "blank"
# What projects start from without a starter.
BLANK_DEFINITION: Json = {
    "title": "Custom",
    "summary": "texts with the fields that you define",
    "fields": [{"key": "answer", "type": "text", "label": "Answer"}],
}


# The starter of projects that name none.
DEFAULT = "entities"


class CustomDeclaration(Declaration):
    """Definitions in YAML or JSON."""

    @cached_property
    def starters(self) -> Mapping[str, str]:  # type: ignore[override]
        titles = {}
        for path in sorted(_STARTERS.glob("*.yaml"), key=lambda path: (path.stem != DEFAULT, path)):
            match = _TITLE.search(path.read_text("utf-8"))
            titles[path.stem] = match[1].strip("\"'") if match else path.stem
        return {**titles, BLANK: "Blank form"}

    def starter(self, name: str) -> Json:
        """Return a parsed definition to start from. Raise KeyError."""
        if name not in self.starters:
            raise KeyError(name)
        if name == BLANK:
            return definition_of(BLANK_DEFINITION).value
        return read_definition((_STARTERS / f"{name}.yaml").read_bytes()).value

    def build(self, definition: Json) -> Scheme:
        """Return the scheme that a definition declares. Raise DefinitionError.

        Equal definitions give the same scheme.
        """
        return _build(canonical(definition))


@lru_cache(maxsize=64)
def _build(text: bytes) -> Scheme:
    from schemes.custom.scheme import scheme_of_definition  # noqa: PLC0415 - it imports this module

    return scheme_of_definition(definition_in(text))


DECLARATION = CustomDeclaration()

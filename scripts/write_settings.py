"""Write the tables of docs/reference/settings.md from the variables in config/environment.

Usage: python -m scripts.write_settings
"""

import re
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from config.environment.model import SECTIONS, Environment
from config.environment.section import Section

PATH = Path(__file__).resolve().parent.parent / "docs" / "reference" / "settings.md"
_HEAD = "| Variable | Default | Meaning |\n| --- | --- | --- |\n"
_TABLE = re.compile(re.escape(_HEAD) + r"(?:\|.*\n)*")


def text() -> str:
    """Return the page with its tables, one per section, in the order of the sections."""
    tables = iter(SECTIONS)
    return _TABLE.sub(lambda _: _HEAD + _rows(next(tables)), PATH.read_text("utf-8"))


def _rows(section: type[Section]) -> str:
    # The fields of a section's base belong to the section of that base.
    own = {
        name: Environment.model_fields[name] for name in section.__annotations__ if name.isupper()
    }
    return "".join(
        f"| `{name}` | {_default(field)} | {field.description} |\n" for name, field in own.items()
    )


def _default(field: FieldInfo) -> str:
    extra: Any = field.json_schema_extra
    if extra["shown"]:
        return str(extra["shown"])
    value = str(field.default).lower() if isinstance(field.default, bool) else field.default
    return f"`{value}`" if value != "" else "none"


if __name__ == "__main__":
    PATH.write_text(text(), "utf-8")

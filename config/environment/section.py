"""A part of the environment, as a section of the reference."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """A base of `Environment`, which checks the variables of all sections together."""

    model_config = ConfigDict(defer_build=True, validate_default=True)


def variable(
    meaning: str,
    *,
    default: Any | Callable[[dict[str, Any]], Any],
    shown: str = "",
    low: float | None = None,
    high: float | None = None,
) -> Any:
    """Return the field of a variable.

    `meaning` and `shown` are Markdown for docs/reference/settings.md. A default is written as in the
    environment, or computed from the variables before it, and then `shown` describes it.
    """
    computed = {"default_factory": default} if callable(default) else {"default": default}
    return Field(
        **computed, ge=low, le=high, description=meaning, json_schema_extra={"shown": shown}
    )

"""The environment of a process as one model, and the messages about what is wrong with it."""

import os
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from config.environment.crowds import Marketplace, Prolific, Requester
from config.environment.data import Data
from config.environment.site import People, RestApi, Site
from config.environment.values import FromFile

# In the order of the reference
SECTIONS = (Site, People, Data, Requester, Prolific, Marketplace, RestApi)
# Of the variables that may be read from a file, those that are required if their file is given.
_NOT_EMPTY = ("SECRET_KEY", "DATABASE_URL")
_REQUIREMENTS = {
    "bool_parsing": "one of: true, false, 1, 0, yes, no, on, off",
    "decimal_parsing": "a number",
    "finite_number": "a number",
    "float_parsing": "a number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
}


class SecretFiles(PydanticBaseSettingsSource):
    """A source that reads a secret from the file that the variable with `_FILE` appended names."""

    def __call__(self) -> dict[str, Any]:
        fields = self.settings_cls.model_fields
        values = {name: self.get_field_value(fields[name], name)[0] for name in secret_names()}
        # Compose can't leave a secret out, so an empty file is no value.
        return {name: value for name, value in values.items() if value}

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[str, str, bool]:
        path = os.environ.get(f"{field_name}_FILE", "")
        if not path:
            return "", field_name, False
        if os.environ.get(field_name):
            raise ImproperlyConfigured(
                f"{field_name} and {field_name}_FILE are both set; set one of them."
            )
        try:
            value = Path(path).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise ImproperlyConfigured(
                f"{field_name}_FILE is {path}, which cannot be read."
            ) from None
        if not value and field_name in _NOT_EMPTY:
            raise ImproperlyConfigured(f"{field_name}_FILE is {path}, which is empty.")
        return value, field_name, False


# The last base comes first in the order in which defaults are computed.
class Environment(Prolific, Requester, Marketplace, RestApi, Data, People, Site, BaseSettings):
    """The environment variables of a site, checked."""

    model_config = SettingsConfigDict(
        case_sensitive=True, defer_build=False, enable_decoding=False, extra="ignore"
    )

    # Secrets stay out of logs.
    __repr__ = __str__ = object.__repr__

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return SecretFiles(settings_cls), env_settings


def secret_names() -> list[str]:
    """Return the variables that may be read from files."""
    return [
        name
        for name, field in Environment.model_fields.items()
        if any(isinstance(item, FromFile) for item in field.metadata)
    ]


def read_environment() -> Environment:
    """Return the checked environment, or raise ImproperlyConfigured with a line per wrong variable."""
    try:
        return Environment()
    except ValidationError as error:
        raise ImproperlyConfigured("\n".join(_messages(error))) from None


def _messages(error: ValidationError) -> list[str]:
    return [
        _message(problem["type"], problem["loc"], problem["input"], problem.get("ctx", {}))
        for problem in error.errors(include_url=False)
        # This default depends on a variable that is wrong.
        if problem["type"] != "default_factory_not_called"
    ]


def _message(
    kind: str, location: tuple[int | str, ...], value: Any, context: dict[str, Any]
) -> str:
    if kind == "value_error":
        return str(context["error"])
    name = str(location[0])
    if kind in ("greater_than_equal", "less_than_equal"):
        limits = Environment.model_fields[name].metadata
        low = next(limit.ge for limit in limits if hasattr(limit, "ge"))
        high = next(limit.le for limit in limits if hasattr(limit, "le"))
        return f"{name} is {value}; it must lie between {low} and {high}."
    if kind == "literal_error":
        allowed = context["expected"].replace("''", "empty").replace("'", "")
        return f"{name} is {value!r}; it must be {allowed}."
    return f"{name} is {value!r}; it must be {_REQUIREMENTS[kind]}."

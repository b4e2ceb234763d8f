"""Settings with which imports accept what they would refuse. Messages name them by their labels."""

from enum import StrEnum


class Setting(StrEnum):
    """A setting of an import. The value is its label on pages."""

    UPDATE = "Replace what has changed"
    ALIGN = "Align positions by characters"
    RESCALE_BOXES = "Accept resized pictures and rescale boxes"
    ADD_ROLES = "Add unknown roles"

    @property
    def parameter(self) -> str:
        """Return the name of the setting in forms, in the API and in parameters of jobs."""
        return self.name.lower()

    @property
    def option(self) -> str:
        """Return the option of commands."""
        return f"--{self.parameter.replace('_', '-')}"

    @property
    def quoted(self) -> str:
        """Return the label as messages name it."""
        return f"“{self.value}”"


def settings_in(message: str) -> list[Setting]:
    """Return the settings that a message names."""
    return [setting for setting in Setting if setting.quoted in message]


def with_options(message: str) -> str:
    """Return the message with the option of a command after each setting that it names."""
    for setting in settings_in(message):
        message = message.replace(setting.quoted, f"{setting.quoted} ({setting.option})")
    return message


def with_parameters(message: str) -> str:
    """Return the message with the parameter of the API after each setting that it names."""
    for setting in settings_in(message):
        message = message.replace(setting.quoted, f"{setting.quoted} ({setting.parameter})")
    return message

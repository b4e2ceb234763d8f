"""The columns of uploaded tables: guessed, or those of the last file with the same header."""

from typing import Any

from annotation.domain.corpus.source_files import OpenTable, ReadOptions
from jobs.models import Job
from schemes.import_settings import Setting


def reading_of(parameters: dict[str, Any]) -> ReadOptions:
    """Return how the files of an import are read."""
    return ReadOptions(**parameters["reading"])


def settings_of(parameters: dict[str, Any]) -> list[Setting]:
    """Return the settings that were chosen for an import."""
    return [setting for setting in Setting if setting.parameter in parameters["settings"]]


def encoding_of(parameters: dict[str, Any]) -> str:
    """Return the encoding in which the first file of an import is read."""
    return str(parameters["reading"]["encoding"] or parameters["files"][0]["encoding"])


def prefill_columns(
    *, kind: str, scope: str, parameters: dict[str, Any], table: OpenTable | None
) -> None:
    """Choose the columns of a table for the person who will confirm the import.

    They are those of the project's last import of this kind with the same header, or a guess.
    """
    parameters["header"] = table.names if table else []
    if table is None or parameters["reading"]["columns"]:
        return
    guess = {name: column for name, column in table.guess.items() if name != column}
    jobs = Job.objects.filter(kind=kind, scope=scope, parameters__header=table.names)
    last = jobs.order_by("-pk").first()
    remembered = dict(last.parameters["reading"]["columns"]) if last else {}
    parameters["reading"]["columns"] = remembered or guess

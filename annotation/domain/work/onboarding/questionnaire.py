"""The fields of a project's questionnaire, and its versions.

A version is a list of fields. A field keeps its key in later versions, even if it is reworded, so that
workers who answered it are not asked again. A field of another kind has another key.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf.locale import LANG_INFO
from django.db import transaction
from pydantic import BaseModel, ConfigDict

from annotation.domain.work.onboarding.consent_text import CHANGED
from annotation.enums import FieldKind
from annotation.models import Questionnaire
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from projects.models import Project

MAX_FIELDS = 30
MAX_OPTIONS = 60
LABEL_LIMIT = 300
VALUE_LIMIT = 500
NUMBER_LIMIT = 10**9
# Names that a field for a language suggests. Workers can enter others.
LANGUAGES = sorted({info["name"] for info in LANG_INFO.values() if "name" in info})


class QuestionnaireError(TouchstoneError, ValueError):
    """The fields can't be a questionnaire. The message says which and why."""


class QuestionnaireField(BaseModel):
    """A field of a questionnaire. A new field has no key yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str = ""
    label: str
    kind: FieldKind
    is_required: bool = True
    options: tuple[str, ...] = ()
    lowest: int | None = None
    highest: int | None = None


def current_questionnaire(*, project_id: int) -> Questionnaire | None:
    return Questionnaire.objects.filter(project=project_id).order_by("-version").first()


def fields_of(questionnaire: Questionnaire | None) -> list[QuestionnaireField]:
    rows: Sequence[Any] = questionnaire.fields if questionnaire else ()
    return [QuestionnaireField.model_validate(row) for row in rows]


@transaction.atomic
def publish_questionnaire(
    *, project: Project, fields: Sequence[QuestionnaireField], actor: str, now: datetime
) -> Questionnaire | None:
    """Publish a new version, or return None if it is unchanged. Raise QuestionnaireError.

    Without fields, workers are asked nothing.
    """
    _check(fields)
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    newest = current_questionnaire(project_id=project.pk)
    keyed = _with_keys(project, fields)
    rows = [field.model_dump(mode="json") for field in keyed]
    if rows == (newest.fields if newest else []):
        return None
    published = Questionnaire.objects.create(
        project=project,
        version=newest.version + 1 if newest else 1,
        fields=rows,
        published_at=now,
    )
    log_state_change(
        instance=project,
        old="",
        new=CHANGED,
        actor=actor,
        now=now,
        reason=f"questionnaire: version {published.version}",
    )
    return published


def _check(fields: Sequence[QuestionnaireField]) -> None:
    if len(fields) > MAX_FIELDS:
        raise QuestionnaireError(f"A questionnaire can have at most {MAX_FIELDS} fields.")
    labels = [field.label.casefold() for field in fields]
    for field in fields:
        if labels.count(field.label.casefold()) > 1:
            raise QuestionnaireError(f"Two fields are called “{field.label}”. Rename one of them.")
        if field.kind == FieldKind.CHOICE and len(field.options) < 2:
            raise QuestionnaireError(f"“{field.label}” needs at least two options, one per line.")
        if len(field.options) > MAX_OPTIONS:
            raise QuestionnaireError(
                f"“{field.label}” has {len(field.options)} options. It can have {MAX_OPTIONS}."
            )
        if None not in (field.lowest, field.highest) and field.lowest > field.highest:  # type: ignore[operator]
            raise QuestionnaireError(
                f"“{field.label}” has a lowest number above its highest number."
            )


def _with_keys(project: Project, fields: Sequence[QuestionnaireField]) -> list[QuestionnaireField]:
    """Return the fields with keys. Only a field of the same key and kind keeps its key."""
    versions = Questionnaire.objects.filter(project=project)
    kinds = {row["key"]: row["kind"] for version in versions for row in version.fields}
    number = len(kinds)
    keyed: list[QuestionnaireField] = []
    for field in fields:
        key = field.key
        if kinds.get(key) != field.kind or key in {earlier.key for earlier in keyed}:
            number += 1
            key = f"f{number}"
        keyed.append(field.model_copy(update={"key": key}))
    return keyed

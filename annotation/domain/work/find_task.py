"""Find a worker's task with what its page and its endpoints need."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, models
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotation.models import Batch, Item, Sentence, Task
from crowd.models import Hit, HitType
from database import statements
from projects.enums import Role
from projects.models import Project
from schemes.contract.values import Json

# The fields that pages need, in the order of their models. Others are loaded on access.
FIELDS: dict[type[models.Model], Sequence[str]] = {
    Project: (
        "id",
        "slug",
        "scheme",
        "definition_digest",
        "provider",
        "pay_scheme",
        "protocol",
        "bonus_timing",
        "input_signals",
        "allow_free_form",
        "suggestions",
        "shown_context",
        "language",
        "asks_implied",
        "allows_context_answers",
    ),
    Batch: ("id", "project_id", "role", "for_training", "terms", "guidelines_id"),
    Task: ("id", "batch_id", "hit_id", "role", "round", "block"),
    Hit: ("id", "hit_type_id", "state", "external_id"),
    HitType: ("id", "provider", "assignment_seconds"),
    Sentence: (
        "id",
        "project_id",
        "external_id",
        "tokens",
        "partition",
        "group",
        "position",
        "image_id",
        "metadata",
        "text",
        "offsets",
    ),
    Item: ("id", "project_id", "sentence_id", "key", "target"),
}
JSON_FIELDS = {"pay_scheme", "terms", "tokens", "metadata", "offsets", "target"}
COLUMNS = [f'{model._meta.db_table}."{name}"' for model, names in FIELDS.items() for name in names]

_TASK = f"""
SELECT
    annotation_taskitem.republications,
    COALESCE(
        annotation_batch.guidelines_id,
        (
            SELECT id FROM projects_guidelines
            WHERE project_id = annotation_batch.project_id
                AND role = CASE annotation_batch.role
                    WHEN '{Role.REVISER}' THEN '{Role.GENERATOR}' ELSE annotation_batch.role
                END
            ORDER BY version DESC
            LIMIT 1
        )
    ),
    (
        SELECT id FROM annotation_consenttext
        WHERE project_id = annotation_batch.project_id ORDER BY version DESC LIMIT 1
    ),
    (
        SELECT id FROM annotation_questionnaire
        WHERE project_id = annotation_batch.project_id ORDER BY version DESC LIMIT 1
    ),
    annotation_arm.use,
    annotation_arm.suggestions,
    annotation_itemarm.content,
    annotation_itemarm.assigned_at,
    {", ".join(COLUMNS)}
FROM annotation_task
JOIN crowd_hit ON crowd_hit.id = annotation_task.hit_id
JOIN crowd_hittype ON crowd_hittype.id = crowd_hit.hit_type_id
JOIN annotation_batch ON annotation_batch.id = annotation_task.batch_id
JOIN projects_project ON projects_project.id = annotation_batch.project_id
JOIN annotation_taskitem ON annotation_taskitem.task_id = annotation_task.id
JOIN annotation_item ON annotation_item.id = annotation_taskitem.item_id
JOIN annotation_sentence ON annotation_sentence.id = annotation_item.sentence_id
LEFT JOIN (
    annotation_itemarm JOIN annotation_arm ON annotation_arm.id = annotation_itemarm.arm_id
) ON annotation_itemarm.item_id = annotation_item.id
    AND annotation_arm.batch_id = annotation_task.batch_id
WHERE annotation_task.public_id = %s
ORDER BY annotation_taskitem.ordinal
"""  # noqa: S608 - the names above


class Help(NamedTuple):
    """What the item's arm in the batch gives to its annotators (see `annotation.models.Arm`)."""

    use: str = ""
    suggestions: str = ""
    content: Json | None = None
    assigned_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PublishedTask:
    """A task and its items in order. `is_republished` means that an item is published again.

    `helps` has the help of each item. `guidelines_id` is the version that the batch shows, or the
    newest. The consent text and the questionnaire are the newest.
    """

    task: Task
    items: Sequence[Item]
    helps: Sequence[Help]
    guidelines_id: int | None
    consent_text_id: int | None
    questionnaire_id: int | None
    is_republished: bool


def find_task(public_id: UUID | str) -> PublishedTask | None:
    """Return the task, or None. Only the fields that pages need are loaded (for speed)."""
    key = Task._meta.get_field("public_id").get_db_prep_value(public_id, connection)
    rows = statements.fetch_rows(_TASK, key)
    if not rows:
        return None
    items: list[Item] = []
    helps: list[Help] = []
    for _, _, _, _, use, suggestions, content, assigned_at, *values in rows:
        helps.append(_help(use, suggestions, content, assigned_at))
        project, batch, task, hit, hit.hit_type, sentence, item = _load_rows(values)
        # All items share the project, which caches its resources.
        batch.project = item.project = items[0].project if items else project
        task.batch, task.hit = batch, hit
        item.sentence = sentence
        items.append(item)
    return PublishedTask(
        task,
        items,
        helps,
        guidelines_id=rows[0][1],
        consent_text_id=rows[0][2],
        questionnaire_id=rows[0][3],
        is_republished=any(republications for republications, *_ in rows),
    )


def _help(use: str | None, suggestions: str | None, content: Any, assigned_at: Any) -> Help:
    if use is None or suggestions is None:
        return Help()
    at = parse_datetime(assigned_at) if isinstance(assigned_at, str) else assigned_at
    if at is not None and timezone.is_naive(at):  # as SQLite stores times
        at = timezone.make_aware(at, UTC)
    return Help(use, suggestions, json.loads(content) if content else None, at)


def _load_rows(values: Sequence[Any]) -> Iterator[Any]:
    """Yield an instance of each model of FIELDS, made of the columns of a joined row."""
    columns = iter(values)
    for model, names in FIELDS.items():
        fields = zip(names, columns, strict=False)
        loaded = [
            json.loads(value) if name in JSON_FIELDS and value else value for name, value in fields
        ]
        yield model.from_db(connection.alias, names, loaded)

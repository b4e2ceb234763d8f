"""A worker's task with all that its page or its endpoints ask of it, in one statement."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from annotation.domain.worker_page import Claim
from annotation.models import Draft, Item, Project, Sentence, Task
from crowd.domain.pay_scheme import Terms
from database.statements import Columns, Row, Statement


@dataclass(frozen=True, slots=True)
class OfferedTask:
    """A task, its project, and its items in their order, each with its sentence. Fields that pages
    don't need are left to be fetched by whoever asks for them."""

    task: Task
    project: Project
    items: Sequence[Item]
    # Whether the place of one of its items came back once, and was offered again.
    is_reoffered: bool
    # What the batch's work earns, and the version of the guidelines that it shows: its own, else the
    # newest, if there is any.
    terms: Terms
    guidelines_id: int | None


@dataclass(frozen=True, slots=True)
class OpenedTask:
    """A task as one worker's page shows it."""

    offered: OfferedTask
    # What the claim has kept so far; only the columns that a page shows.
    draft: Draft | None
    # The version that the worker began with, else the one that the batch shows; "" if there is none.
    guidelines: str


_SHOWN = """COALESCE({began_with}b.guidelines_id, (
        SELECT g.id FROM annotation_guidelines g WHERE g.project_id = p.id AND g.role = t.role
        ORDER BY g.version DESC LIMIT 1))"""
_SELECT = """
SELECT t.id, t.batch_id, t.hit_id, t.role, t.hand, b.terms, {guidelines},
    p.id, p.slug, p.scheme, p.provider, p.pay_scheme,
    s.id, s.external_id, s.tokens,
    i.id, i.key, i.target, ti.reoffers{more}
FROM annotation_task t
JOIN annotation_batch b ON b.id = t.batch_id
JOIN annotation_project p ON p.id = b.project_id
JOIN annotation_taskitem ti ON ti.task_id = t.id
JOIN annotation_item i ON i.id = ti.item_id
JOIN annotation_sentence s ON s.id = i.sentence_id
{joined}
WHERE t.public_id = %(task)s
ORDER BY ti.ordinal
"""
_WIDTH = 19  # the columns of _SELECT without `more`
_DRAFT = Columns(
    Draft, "d", ["content", "comment", "revision", "submitted_at", "active_seconds", "moves"]
)
_TASK = Statement(_SELECT.format(guidelines=_SHOWN.format(began_with=""), more="", joined=""))
# The draft is looked for by whose it is ("+ 0": not by its task). Planned while there are no drafts yet,
# all ways to them look the same, and the one by task would walk through all that there ever are.
_TASK_AND_DRAFT = Statement(
    _SELECT.format(
        guidelines="g.id",
        more=f", {_DRAFT.sql}, g.text",
        joined=f"""
LEFT JOIN annotation_draft d
    ON d.assignment_ref = %(assignment)s AND d.worker_ref = %(worker)s AND d.task_id + 0 = t.id
LEFT JOIN annotation_guidelines g ON g.id = {_SHOWN.format(began_with="d.guidelines_id, ")}""",
    )
)


def find_task(public_id: UUID) -> OfferedTask | None:
    """The task that a page's address names; None if there is none."""
    rows = _TASK.all({"task": public_id.hex})
    return _offered(public_id, rows) if rows else None


def find_opened_task(public_id: UUID, claim: Claim | None) -> OpenedTask | None:
    """The task with what its page shows to the one who claims it, or to someone who looks (None)."""
    assignment, worker = (claim.assignment_ref, claim.worker_ref) if claim else ("", "")
    values = {"task": public_id.hex, "assignment": assignment, "worker": worker}
    rows = _TASK_AND_DRAFT.all(values)
    if not rows:
        return None
    draft, guidelines = _DRAFT.read(rows[0], _WIDTH), rows[0][-1]
    return OpenedTask(_offered(public_id, [row[:_WIDTH] for row in rows]), draft, guidelines or "")


def _offered(public_id: UUID, rows: Sequence[Row]) -> OfferedTask:
    task_id, batch_id, hit_id, role, hand, own_terms, guidelines_id, *of_project = rows[0][:12]
    project = _project(of_project)
    task = Task.from_db(
        None,
        ("id", "batch_id", "hit_id", "public_id", "role", "hand"),
        (task_id, batch_id, hit_id, public_id, role, hand),
    )
    items = [_item(project, row[12:-1]) for row in rows]
    return OfferedTask(
        task,
        project,
        items,
        is_reoffered=any(row[-1] for row in rows),
        terms=json.loads(own_terms) if own_terms else project.pay_scheme[role],
        guidelines_id=guidelines_id,
    )


def _project(values: Sequence[object]) -> Project:
    *plain, pay_scheme = values
    names = ("id", "slug", "scheme", "provider", "pay_scheme")
    return Project.from_db(None, names, (*plain, json.loads(str(pay_scheme))))


def _item(project: Project, values: Sequence[object]) -> Item:
    sentence_id, external_id, tokens, item_id, key, target = values
    sentence = Sentence.from_db(
        None,
        ("id", "project_id", "external_id", "tokens"),
        (sentence_id, project.pk, external_id, json.loads(str(tokens))),
    )
    item = Item.from_db(
        None,
        ("id", "project_id", "sentence_id", "key", "target"),
        (item_id, project.pk, sentence_id, key, json.loads(str(target))),
    )
    item.project, item.sentence = project, sentence
    return item

"""A finished campaign of any size, inserted directly into the tables, for read benchmarks."""

import json
from collections.abc import Iterable, Iterator

from django.db.models import Model

from annotation.domain.corpus.insert_rows import insert_rows
from annotation.models import Item, Sentence, Submission
from consolidation.models import Case, CaseSource, Gold
from crowd.models import Assignment, Worker
from projects.enums import Role
from projects.models import Project
from tests.consolidation.factories import make_project
from tests.crowd.factories import make_live_hit, make_worker

AT = "2026-03-01 12:00:00+00:00"
ITEMS_PER_SENTENCE = 2.5
SENTENCE = (
    "Vor dem Haus – so the naïve café owner in Zürich said – the committee had rejected the long "
    "proposal after a debate , and 東京 watched ."
)
WORDS = SENTENCE.split()
FORMS = {
    "stem": "reject",
    "presentSingular3rd": "rejects",
    "presentParticiple": "rejecting",
    "past": "rejected",
    "pastParticiple": "rejected",
}
SLOTS = {
    "wh": "who", "aux": "had", "subj": "", "verb_prefix": "", "verb_slot_inflection":
    "PastParticiple", "obj": "something", "prep": "", "obj2": "", "is_passive": False,
    "is_negated": False,
}  # fmt: skip
QUESTIONS = [
    {"question": "Who had rejected something?", "answers": [[14, 16]], "slots": SLOTS},
    {
        "question": "What had someone rejected?",
        "answers": [[18, 21]],
        "slots": {**SLOTS, "wh": "what", "subj": "someone", "obj": ""},
    },
    {
        "question": "When had someone rejected something?",
        "answers": [[21, 24], [25, 27]],
        "slots": {**SLOTS, "wh": "when", "subj": "someone"},
    },
]
GENERATION = {"questions": QUESTIONS, "no_question": ""}
CONSOLIDATION = {
    "questions": [
        {
            **question,
            "source": {"submission": at % 2, "question": at},
            "verdict": "keep",
            "same_as": None,
        }
        for at, question in enumerate(QUESTIONS)
    ]
}
PROVENANCE = [{"source": at % 2, "state": "kept"} for at in range(3)]


def seed_gold(items: int, *, nouns: bool = False) -> Project:
    """Create a project with consolidated gold, in two domains with two partitions each.

    Each item has two generations, a consolidation and its gold. With `nouns`, items are marked as nouns.
    """
    project = make_project()
    workers = [make_worker() for _ in range(20)]
    hit = make_live_hit()
    _insert(
        Sentence,
        _names("id project_id external_id tokens domain partition metadata"),
        _sentences(project, round(items / ITEMS_PER_SENTENCE)),
    )
    _insert(
        Item, _names("id project_id sentence_id key target position"), _items(project, items, nouns)
    )
    _insert(
        Assignment,
        _names(
            "id hit_id worker_id external_id state answer accepted_at submitted_at decision_reason error"
        ),
        _assignments(hit.pk, workers, 3 * items),
    )
    _insert(
        Submission,
        _names(
            "id item_id role worker_id assignment_id content schema_version state problem opened_at "
            "submitted_at active_seconds moves steps comment"
        ),
        _submissions(workers, items),
    )
    _insert(
        Case, _names("id item_id attempt state opened_at"),
        ((at, at, 0, "open", AT) for at in range(1, items + 1)),
    )  # fmt: skip
    _insert(
        CaseSource, _names("id case_id submission_id position"),
        (
            (2 * at - 1 + position, at, 3 * at - 2 + position, position)
            for at in range(1, items + 1)
            for position in (0, 1)
        ),
    )  # fmt: skip
    decision = {"is_verbal": True} if nouns else {}
    content = json.dumps({"questions": QUESTIONS, **decision})
    provenance = json.dumps(PROVENANCE)
    _insert(
        Gold,
        _names(
            "id item_id source version content schema_version provenance case_id submission_id "
            "created_at"
        ),
        (
            (at, at, "consolidated", 1, content, 1, provenance, at, 3 * at, AT)
            for at in range(1, items + 1)
        ),
    )  # fmt: skip
    return project


def _insert(model: type[Model], columns: list[str], rows: Iterable[tuple[str | int, ...]]) -> None:
    """Insert rows, with the default of each column that they leave out."""
    others = [
        field
        for field in model._meta.concrete_fields
        if field.attname not in columns
        and not (field.null or field.primary_key or field.has_db_default())
    ]
    values = [field.get_default() for field in others]
    defaults = [json.dumps(at) if isinstance(at, dict | list | bool) else str(at) for at in values]
    names = [*columns, *(field.attname for field in others)]
    insert_rows(model, names, ((*row, *defaults) for row in rows))


def _names(text: str) -> list[str]:
    return text.split()


def _sentences(project: Project, count: int) -> Iterator[tuple[str | int, ...]]:
    for at in range(1, count + 1):
        domain, partition = ("wikinews", "wikipedia")[at % 2], ("dev", "test")[at // 2 % 2]
        tokens = json.dumps([*WORDS[:-1], f"number{at}", "."])
        yield at, project.pk, f"Wiki1k:{domain}:{at}:0:0", tokens, domain, partition, "{}"


def _items(project: Project, count: int, nouns: bool) -> Iterator[tuple[str | int, ...]]:
    kind = {"kind": "noun", "verb_form": "reject"} if nouns else {}
    target = json.dumps({"verb_idx": 17, "verb": "rejected", "forms": FORMS, **kind})
    for at in range(1, count + 1):
        sentence = int((at - 1) // ITEMS_PER_SENTENCE) + 1
        # Several items of a sentence share a verb. Their content does not matter here.
        yield at, project.pk, sentence, f"{sentence}/{at}", target, at


def _assignments(hit: int, workers: list[Worker], count: int) -> Iterator[tuple[str | int, ...]]:
    for at in range(1, count + 1):
        worker = workers[at % len(workers)].pk
        yield at, hit, worker, f"3ASG{at:026}", "submitted", "{}", AT, AT, "", ""


def _submissions(workers: list[Worker], items: int) -> Iterator[tuple[str | int, ...]]:
    generation, consolidation = json.dumps(GENERATION), json.dumps(CONSOLIDATION)
    for item in range(1, items + 1):
        for at in (3 * item - 2, 3 * item - 1, 3 * item):
            role = Role.CONSOLIDATOR if at == 3 * item else Role.GENERATOR
            content = consolidation if at == 3 * item else generation
            worker = workers[at % len(workers)].pk
            yield at, item, role, worker, at, content, 1, "accepted", "", AT, AT, 60, 9, "{}", ""

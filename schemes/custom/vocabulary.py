"""The words and the pay of a custom scheme, from its definition."""

from collections.abc import Mapping

from schemes.contract.vocabulary import TaskTexts, Vocabulary
from schemes.custom.definition import ChoiceField, Field, TextField
from schemes.custom.form import Form

# Seconds that people need, as a rough guide for suggested pay. They are assumptions of this project.
_SECONDS_BY_TYPE = {
    "choice": 6,
    "choices": 9,
    "rating": 6,
    "number": 8,
    "pairwise": 12,
    "spans": 7,
    "relations": 8,
    "questions": 20,
    "boxes": 10,
}
# What dataset hubs call the tasks of each type of field.
_TASKS_BY_TYPE = {
    "choice": "text-classification",
    "choices": "text-classification",
    "rating": "text-classification",
    "pairwise": "text-classification",
    "spans": "token-classification",
    "relations": "token-classification",
    "questions": "question-answering",
    "boxes": "object-detection",
}
_READING_SECONDS = 10
_MOST_OPTIONS_AT_A_GLANCE = 10
_WRITING_SECONDS = 20
CENTS_PER_HOUR = 1200
# Parts that pages expect in an item, for the sum that publishing reserves
_EXPECTED_PARTS = 4
_WITHOUT_REVIEW = 30
PRESET = "custom"


def vocabulary_of(form: Form) -> Vocabulary:
    """Return the nouns, the texts of HITs, and suggested pay."""
    definition = form.definition
    # Marketplaces allow 128 characters in titles.
    item, title = definition.item, definition.title[:100]
    tasks = {
        "generator": TaskTexts(
            f"{title}: annotate", definition.summary or f"Annotate a {item.singular}."
        ),
        "consolidator": TaskTexts(
            f"{title}: merge", f"Compare the annotations of a {item.singular}, and merge them."
        ),
        "validator": TaskTexts(
            f"{title}: check", f"Check another worker's annotation of a {item.singular}."
        ),
        "reviser": TaskTexts(
            f"{title}: revise", "Reviewers disputed some of your answers. Revise or keep them."
        ),
    }
    return Vocabulary(
        item=item,
        unit=form.unit,
        tasks=tasks,
        keywords=f"annotation, {_keyword(title)}",
        pay_presets={PRESET: _pay(form)},
        pay_titles={PRESET: f"Suggested for {title}"},
        row=item,
        task_categories=tuple(
            sorted(
                {_TASKS_BY_TYPE.get(kind.field.type, "other") for kind in form.kinds} - {"other"}
            )
        )
        or ("other",),
    )


def summary_of(form: Form) -> str:
    """Return what is annotated, in a few words."""
    if form.definition.summary:
        return form.definition.summary
    nouns = [kind.field.label for kind in form.kinds]
    return ", ".join(nouns)[:200]


def _keyword(title: str) -> str:
    return title.replace(",", " ").lower()[:60]


def _pay(form: Form) -> Mapping[str, Mapping[str, int]]:
    paid = form.paid
    seconds = _READING_SECONDS + sum(
        _seconds(kind.field) for kind in form.kinds if kind is not paid
    )
    per_part = _cents(_seconds(paid.field)) if paid else 0
    most = paid.field.max if paid else len(form.kinds)
    fields = len(form.kinds)
    annotating = {
        "reward_cents": _cents(seconds),
        "free_units": 0 if paid else fields,
        "bonus_first_cents": per_part,
        "bonus_step_cents": 0,
        "allowance_units": min(most, _EXPECTED_PARTS) if paid else fields,
        "max_units": max(most, 1),
        "hold_above_units": min(_WITHOUT_REVIEW, most - 1),
        "least_seconds": 3,
    }
    judging = {
        **annotating,
        "reward_cents": _cents(_READING_SECONDS + seconds / 2 + (_EXPECTED_PARTS if paid else 0)),
        "free_units": 0,
        "bonus_first_cents": 0,
        "allowance_units": 1,
    }
    merging = {**annotating, "bonus_first_cents": max(per_part // 2, min(per_part, 1))}
    return {
        "generator": annotating,
        "consolidator": merging,
        "validator": judging,
        "reviser": judging,
    }


def _seconds(field: Field) -> float:
    if isinstance(field, TextField):
        return _WRITING_SECONDS + min(field.lines, 10) * 4
    seconds = float(_SECONDS_BY_TYPE[field.type])
    if isinstance(field, ChoiceField) and len(field.leaves) > _MOST_OPTIONS_AT_A_GLANCE:
        seconds *= 1.5
    return seconds


def _cents(seconds: float) -> int:
    return max(1, round(seconds * CENTS_PER_HOUR / 3600))

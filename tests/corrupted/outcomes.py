"""The comparison of what an import stored with the truth."""

from collections.abc import Mapping
from typing import Any

from tests.corrupted.datasets import Dataset
from tests.corrupted.imports import Outcome
from tests.corrupted.shapes import Change, Kind

# Fields of stored values whose order doesn't matter
_UNORDERED = ("questions", "arguments", "phrases")
# Facts of each format that its files state once. Of an item in a record file, the words of arguments
# are for display only.
_ONCE: Mapping[str, tuple[str, ...]] = {
    "gold-bank": ("answers",),
    "gold-allennlp": ("question", "slots"),
    "gold-qasem": ("question", "slots"),
    "gold-semeval": ("lemma", "filler", "frame", "element", "role", "confidence"),
    "items-bank": ("forms", "other_forms"),
    "items-noun-csv": ("forms", "other_forms", "verb_form"),
}
_ALWAYS = ("fillers", "filler")
# Formats whose labels, boxes, slots or tags say everything once.
_SAY_ONCE = (
    *("gold-beam", "gold-phrases", "gold-coco", "gold-grefcoco", "gold-flickr30k"),
    "gold-custom",
)


def problem(dataset: Dataset, change: Change, truth: Mapping[str, Any], outcome: Outcome) -> str:
    """Return a sentence about other data than the truth, or about a loss without a message, or ""."""
    if not _is_compared(dataset, change):
        return ""
    hidden = {*_ALWAYS, *(_ONCE.get(dataset.name, ()) if change.kind is Kind.VALUES else ())}
    for key, value in outcome.stored.items():
        is_true = key in truth and _facts(value, hidden) == _facts(truth[key], hidden)
        # A text that contradicts its tokens is imported with a warning.
        if not is_true and (dataset.kind != "corpus" or not outcome.warnings):
            return f"{key} is {value}, not {truth.get(key)}. {outcome.errors}"
    missing = truth.keys() - outcome.stored.keys()
    if missing and not (outcome.is_named or outcome.warnings):
        return f"{min(missing)} is missing without a message."
    unplaced = [error for error in outcome.all_errors if not (error.file and error.message)]
    return f"{unplaced[0]} names no file." if unplaced else ""


def _is_compared(dataset: Dataset, change: Change) -> bool:
    """Return False if the change may lead to another valid file.

    A corpus states its words once, and so do items that are captions.
    """
    if dataset.fmt.endswith("-images") and change.name == "other_order":
        return False  # the captions of an image are joined in their order
    if change.kind is Kind.LAYOUT:
        return True
    if dataset.kind == "corpus" or dataset.name == "items-captions":
        return False
    return change.kind is Kind.PLACES or not dataset.name.startswith(_SAY_ONCE)


def _facts(value: Any, hidden: set[str]) -> Any:
    if isinstance(value, dict) and "obj2" in value:
        # Published files put some objects into the next column, and lack some auxiliaries.
        objects = " ".join(filter(None, (value["obj"], value["prep"], value["obj2"])))
        return value["wh"], value["subj"], objects, value["is_negated"]
    if isinstance(value, dict):
        return {
            name: sorted((_facts(part, hidden) for part in member), key=repr)
            if name in _UNORDERED and isinstance(member, list)
            else _facts(member, hidden)
            for name, member in value.items()
            if name not in hidden
        }
    return value

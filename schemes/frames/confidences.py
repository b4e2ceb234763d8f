"""The annotators' confidence in each verb's frame, from a separate file."""

from collections.abc import Sequence
from pathlib import Path

from schemes.contract.errors import FileError
from schemes.frames.items import ItemKey
from schemes.text_lines import numbered_lines


def read_confidences(path: Path, gold: Sequence[ItemKey]) -> dict[ItemKey, int]:
    """Return the annotators' confidence per verb.

    Each line has a sentence id, a verb position and a whole number. Raises FileError for a broken or
    repeated line and for a gold verb that is missing.
    """
    confidences: dict[ItemKey, int] = {}
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        key, confidence = _confidence(text, path, line)
        if key in confidences:
            raise FileError(path.name, line, f"{key} is repeated.")
        confidences[key] = confidence
    for item in gold:
        if ItemKey(item.sentence, item.verb) not in confidences:
            raise FileError(path.name, None, f"{item} has no confidence.")
    return confidences


def _confidence(text: str, path: Path, line: int) -> tuple[ItemKey, int]:
    try:
        sentence, positions, confidence = text.split()
        verb = tuple(int(part) for part in positions.split("_"))
        return ItemKey(sentence, verb), int(confidence)
    except ValueError:
        message = "is not a sentence id, a verb position and a whole number."
        raise FileError(path.name, line, message) from None

"""How sure the annotators were of each verb's frame, from a file beside the records."""

from collections.abc import Sequence
from pathlib import Path

from schemes.base import FileError
from schemes.frames.items import ItemKey
from schemes.text_lines import numbered_lines


def read_confidences(path: Path, gold: Sequence[ItemKey]) -> dict[ItemKey, int]:
    """The annotators' confidence per verb: lines of sentence id, verb position, whole number.

    Raises FileError for a broken or repeated line and where a verb of the gold items is missing.
    """
    found: dict[ItemKey, int] = {}
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        key, confidence = _confidence(text, path, line)
        if key in found:
            raise FileError(path.name, line, f"{key} is repeated.")
        found[key] = confidence
    for item in gold:
        if ItemKey(item.sentence, item.verb) not in found:
            raise FileError(path.name, None, f"{item} has no confidence.")
    return found


def _confidence(text: str, path: Path, line: int) -> tuple[ItemKey, int]:
    try:
        sentence, positions, confidence = text.split()
        verb = tuple(int(part) for part in positions.split("_"))
        return ItemKey(sentence, verb), int(confidence)
    except ValueError:
        message = "is not a sentence id, a verb position and a whole number."
        raise FileError(path.name, line, message) from None

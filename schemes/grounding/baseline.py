"""The bag-of-objects baseline of Suter et al. 2021, after Wang and Specia 2019.

The labels of the objects that a detector found in an image are ranked by the cosine of their word
vectors to the phrase. A singular phrase gets the largest box of the best label, and a plural phrase all
its boxes.

The lines of the input have these fields:

    {"id": "1000092795#0/p0", "image": [333, 500], "phrase": "Two young guys", "plural": true,
     "gold": [[10, 20, 60, 80]], "objects": [{"label": "young man", "box": [10, 20, 60, 80]}, ...]}

All other fields are copied. The output has the same lines with `predicted`, the chosen boxes, `label`,
the chosen label or null, and `candidates`: each box alone, and all boxes of each label with several, as
`{"label", "score", "boxes"}`. The score is the cosine, or null if the words of a side have no vector.
"""

import json
import re
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from schemes.contract.errors import FieldError, FileError
from schemes.contract.values import Json
from schemes.grounding.candidates import Box, Candidate, best
from schemes.json_values import json_object
from schemes.reports import FileProgram, Notify, Options, Progress, UsageError
from schemes.text_lines import numbered_lines

Entry = tuple[int, Json]

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
# Words without a meaning of their own, which would pull all phrases together.
_STOP_WORDS = {
    *("a", "an", "the", "this", "that", "these", "those"),
    *("his", "her", "its", "their", "my", "your", "our"),
    *("of", "in", "on", "at", "with", "and", "or", "to"),
}


def words_of(text: str) -> list[str]:
    """Return the words of a phrase or label in lower case, without articles and the like."""
    words = [word.lower() for word in _WORD.findall(text)]
    return [word for word in words if word not in _STOP_WORDS] or words


def read_entries(path: Path) -> Iterator[Entry]:
    """Yield the line numbers and checked objects of a file. Raise FileError."""
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            yield line, _entry(text)
        except FieldError as error:
            raise error.at(path, line) from None


def _entry(text: str) -> Json:
    entry = json_object(text)
    if not isinstance(entry.get("phrase"), str) or not entry["phrase"].strip():
        raise FieldError("phrase", "is not a text.")
    if not isinstance(entry.get("plural"), bool):
        raise FieldError("plural", "is neither true nor false.")
    image, objects = entry.get("image"), entry.get("objects")
    if (
        not isinstance(image, list)
        or len(image) != 2
        or not all(type(s) is int and s > 0 for s in image)
    ):
        raise FieldError("image", "is not [width, height] in whole pixels.")
    if not isinstance(objects, list):
        raise FieldError("objects", "is not a list.")
    for at, thing in enumerate(objects):
        field = f"objects[{at}]"
        if not isinstance(thing, dict) or not isinstance(thing.get("label"), str):
            raise FieldError(f"{field}.label", "is not a text.")
        if not _is_box(thing.get("box")):
            raise FieldError(f"{field}.box", "is not a box [x1, y1, x2, y2] with an area.")
    return entry


def _is_box(box: Any) -> bool:
    if not isinstance(box, list) or len(box) != 4:
        return False
    if not all(type(side) in (int, float) for side in box):
        return False
    return bool(box[0] < box[2] and box[1] < box[3])


class Baseline:
    """The baseline with the vectors of the words in its input.

    With `pruning`, plural phrases only get labels with several boxes, if there are any. With
    `enlarge`, both sides of each predicted box grow by half about its centre, within the image.
    """

    def __init__(self, vectors: Mapping[str, Any], *, pruning: bool = False, enlarge: bool = False):
        self._vectors = vectors
        self._pruning = pruning
        self._enlarge = enlarge

    def ground(self, entry: Json) -> Json:
        """Return the entry with `predicted`, `label` and `candidates`."""
        by_label: dict[str, list[Box]] = {}
        for thing in entry["objects"]:
            boxes = by_label.setdefault(thing["label"], [])
            if thing["box"] not in boxes:
                boxes.append(thing["box"])
        scores = {label: self.similarity(entry["phrase"], label) for label in by_label}
        candidates = [
            *(
                Candidate([box], label, scores[label])
                for label in by_label
                for box in by_label[label]
            ),
            *(Candidate(own, label, scores[label]) for label, own in by_label.items() if own[1:]),
        ]
        label, boxes = best(candidates, plural=entry["plural"], prune=self._pruning)
        if self._enlarge:
            boxes = [_enlarged(box, entry["image"]) for box in boxes]
        return {
            **entry,
            "predicted": boxes,
            "label": label,
            "candidates": [candidate.as_json() for candidate in candidates],
        }

    def similarity(self, phrase: str, label: str) -> float | None:
        """Return the cosine of the mean vectors, or None if the words of either side are unknown.

        Words that are equal count as similar without a vector.
        """
        if words_of(label) and set(words_of(label)) <= set(words_of(phrase)):
            return 1.0
        first, second = self._mean(phrase), self._mean(label)
        if first is None or second is None:
            return None
        norm = float((first @ first) ** 0.5 * (second @ second) ** 0.5)
        return float(first @ second) / norm if norm else None

    def _mean(self, text: str) -> Any:
        vectors = [self._vectors[word] for word in words_of(text) if word in self._vectors]
        return sum(vectors[1:], vectors[0]) / len(vectors) if vectors else None


def _enlarged(box: Box, image: Sequence[int]) -> list[float]:
    x1, y1, x2, y2 = box
    across, down = (x2 - x1) / 4, (y2 - y1) / 4
    return [
        max(0, x1 - across), max(0, y1 - down),
        min(image[0], x2 + across), min(image[1], y2 + down),
    ]  # fmt: skip


def _vocabulary(entries: Iterable[Entry]) -> set[str]:
    words: set[str] = set()
    for _, entry in entries:
        words.update(words_of(entry["phrase"]))
        for thing in entry["objects"]:
            words.update(words_of(thing["label"]))
    return words


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("phrases", type=Path, metavar="PHRASES.jsonl")
    parser.add_argument(
        "--vectors", type=Path, required=True, metavar="FILE", help="word2vec, text or binary"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="OUT.jsonl")
    parser.add_argument(
        "--pruning", action="store_true", help="prefer labels with several boxes for plural phrases"
    )
    parser.add_argument(
        "--enlarge", action="store_true", help="enlarge both sides of predicted boxes by half"
    )


def _run(options: Options, notify: Notify, progress: Progress) -> tuple[Json, str]:
    # Inline, because it loads numpy.
    from schemes.grounding.word_vectors import read_vectors  # noqa: PLC0415

    path: Path = options["phrases"]
    vocabulary = _vocabulary(read_entries(path))
    vectors = read_vectors(options["vectors"], vocabulary)
    if not vectors:
        raise FileError(options["vectors"].name, None, "has no word of the phrases and labels.")
    baseline = Baseline(vectors, pruning=options["pruning"], enlarge=options["enlarge"])
    out: Path = options["out"]
    partial = out.with_name(f"{out.name}.part")
    phrases = without = 0
    try:
        with partial.open("w", encoding="utf-8") as file:
            for _, entry in progress(read_entries(path)):
                grounded = baseline.ground(entry)
                phrases += 1
                without += not grounded["predicted"]
                file.write(json.dumps(grounded, ensure_ascii=False) + "\n")
        partial.replace(out)
    except OSError as error:
        raise UsageError(f"{out}: cannot be written ({error.strerror}).") from error
    finally:
        partial.unlink(missing_ok=True)
    figures = {
        "phrases": phrases,
        "without_prediction": without,
        "words": len(vocabulary),
        "words_with_vector": len(vectors),
    }
    text = (
        f"{phrases} phrases grounded, {without} of them without a prediction; "
        f"{len(vectors)} of {len(vocabulary)} words have a vector: {out}"
    )
    return figures, text


GROUND = FileProgram(
    name="ground",
    help="""Ground phrases in the objects of a detector, by word vectors (JSON Lines).

Lines need image [width, height], phrase (the words), plural (true or false) and objects, a list of
{"label", "box": [x1, y1, x2, y2]}. OUT.jsonl gets the same lines with predicted, label and candidates,
for `evaluate grounding` and `ground_report`.""",
    example="python manage.py ground phrases.jsonl --vectors vectors.bin --out grounded.jsonl",
    add_arguments=_add_arguments,
    run=_run,
)

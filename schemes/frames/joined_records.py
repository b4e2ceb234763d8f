"""Records of the tasks A, B.1 and B.2, joined on sentence and verb.

A file contributes what it labels. Its verbs have a frame (A and B.1), or `na` (B.2). In B.1, roles
are frame elements, in B.2 they are generic. In blind files, verbs have `unkn`, and the labels of
arguments are relations or `unkn`, which are not read. A file with lines such as `#20671029 11 4` has
the annotators' confidence.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from schemes.base import ErrorSink, FileError
from schemes.frames.records import Argument, Positions, Record, joined, read_records
from schemes.text_lines import numbered_lines

NO_FRAME, BLIND = "na", "unkn"
UNLABELLED = ("", NO_FRAME, BLIND)


@dataclass(slots=True)
class JoinedArgument:
    """An argument with its element from B.1 and its role from B.2. Either may be empty."""

    filler: str
    positions: Positions
    element: str = ""
    role: str = ""


@dataclass(slots=True)
class JoinedRecord:
    """A verb with what all files say about it. `file` and `line` are its first place."""

    sentence: str
    positions: Positions
    lemma: str
    file: str
    line: int
    frame: str = ""
    confidence: int | None = None
    arguments: list[JoinedArgument] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.sentence} {joined(self.positions)}"


class _DifferentError(ValueError):
    pass


def read_joined(paths: Sequence[Path], *, on_error: ErrorSink) -> Iterator[JoinedRecord]:
    """Yield the records of all files in the order of the first mention.

    Lines that contradict an earlier file go to `on_error` and are skipped. Two records may not begin
    at the same token. Raise FileError for an unreadable file, or if there is no record.
    """
    records: dict[tuple[str, Positions], JoinedRecord] = {}
    confidences: dict[tuple[str, Positions], tuple[int, Path, int]] = {}
    for path in paths:
        if _has_confidences(path):
            confidences.update(_read_confidences(path, on_error))
            continue
        for record in read_records(path, on_error=on_error):
            try:
                _add(records, record, path)
            except _DifferentError as error:
                on_error(FileError(path.name, record.line, str(error)))
    if not records:
        raise FileError(paths[0].name, None, "contains no record.")
    for key, (confidence, path, line) in confidences.items():
        if key in records:
            records[key].confidence = confidence
        else:
            message = f"there is no record of {key[0]} {joined(key[1])}."
            on_error(FileError(path.name, line, message))
    yield from _without_shared_starts(records.values(), on_error)


def _add(records: dict[tuple[str, Positions], JoinedRecord], record: Record, path: Path) -> None:
    key = record.sentence, record.positions
    known = records.get(key)
    if known is None:
        known = JoinedRecord(
            record.sentence, record.positions, record.lemma, path.name, record.line
        )
    frame = "" if record.frame in UNLABELLED else record.frame
    if known.lemma != record.lemma:
        message = (
            f"the lemma of {record.name} is {record.lemma}, but {known.lemma} in {known.file}."
        )
        raise _DifferentError(message)
    if frame and known.frame and frame != known.frame:
        message = f"the frame of {record.name} is {frame}, but {known.frame} in another file."
        raise _DifferentError(message)
    arguments = [_joined_argument(argument, record.frame) for argument in record.arguments]
    by_place = {argument.positions: argument for argument in known.arguments}
    for argument in arguments:
        _check_same(by_place.get(argument.positions), argument, record)
    known.frame = known.frame or frame
    for argument in arguments:
        earlier = by_place.get(argument.positions)
        if earlier is None:
            known.arguments.append(argument)
        else:
            earlier.element = earlier.element or argument.element
            earlier.role = earlier.role or argument.role
    records[key] = known


def _joined_argument(argument: Argument, frame: str) -> JoinedArgument:
    label = "" if frame == BLIND or argument.role in UNLABELLED else argument.role
    element, role = ("", label) if frame == NO_FRAME else (label, "")
    return JoinedArgument(argument.filler, argument.positions, element, role)


def _check_same(earlier: JoinedArgument | None, argument: JoinedArgument, record: Record) -> None:
    if earlier is None:
        return
    for name in ("element", "role"):
        before, now = getattr(earlier, name), getattr(argument, name)
        if before and now and before != now:
            place = joined(argument.positions)
            message = (
                f"the {name} at {place} of {record.name} is {now}, but {before} in another file."
            )
            raise _DifferentError(message)


def _without_shared_starts(
    records: Iterable[JoinedRecord], on_error: ErrorSink
) -> Iterator[JoinedRecord]:
    seen: dict[tuple[str, int], str] = {}
    for record in records:
        first = seen.setdefault((record.sentence, record.positions[0]), record.name)
        if first == record.name:
            yield record
        else:
            message = f"{record.name} begins at the same token as {first}."
            on_error(FileError(record.file, record.line, message))


def _has_confidences(path: Path) -> bool:
    """Return True if the first line with text has a number instead of a verb."""
    for _, text in numbered_lines(path):
        if text.strip():
            fields = text.split()
            return len(fields) == 3 and fields[2].isascii() and fields[2].isdigit()
    return False


def _read_confidences(
    path: Path, on_error: ErrorSink
) -> dict[tuple[str, Positions], tuple[int, Path, int]]:
    confidences = {}
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            sentence, positions, confidence = text.split()
            verb = tuple(int(part) for part in positions.split("_"))
            confidences[sentence, verb] = (int(confidence), path, line)
        except ValueError:
            message = "is not a sentence id, a verb position and a whole number."
            on_error(FileError(path.name, line, message))
    return confidences

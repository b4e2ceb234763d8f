"""Records of the tasks A, B.1 and B.2, joined on sentence and verb.

A file contributes what it labels. Its verbs have a frame (A and B.1), or `na` (B.2). In B.1, roles
are frame elements, in B.2 they are generic. In blind files, verbs have `unkn`, and the labels of
arguments are relations or `unkn`, which are not read. A file with lines such as `#20671029 11 4` has
the annotators' confidence.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from schemes.contract.errors import ErrorSink, FileError
from schemes.frames.records import Argument, BadRecord, Positions, Record, all_records, joined
from schemes.text_lines import numbered_lines

NO_FRAME, BLIND = "na", "unkn"
UNLABELLED = ("", NO_FRAME, BLIND)


Key = tuple[str, Positions]
# The name of a file and a line in it
Place = tuple[str, int]
# More records without a common file are those of different corpora.
MAX_COUNTERPARTS = 50
# More sets of files that records are in have no order, and no counterparts are looked for.
MAX_FILE_SETS = 1000
# Bad lines of a file, and their characters, in which records that it lacks are looked for. A file with
# more of them may have lost any record.
MAX_BROKEN_LINES = 200
MAX_BROKEN_LINE = 2000


@dataclass(slots=True)
class JoinedArgument:
    """An argument with its element from B.1 and its role from B.2. Either may be empty.

    `places` has the places of the fields that are not empty.
    """

    filler: str
    positions: Positions
    element: str = ""
    role: str = ""
    places: dict[str, Place] = field(default_factory=dict)


@dataclass(slots=True)
class JoinedRecord:
    """A verb with what all files say about it.

    `file` and `line` are its first place, and `frame_place` is the first one with its frame.
    """

    sentence: str
    positions: Positions
    lemma: str
    file: str
    line: int
    frame: str = ""
    frame_place: Place | None = None
    confidence: int | None = None
    arguments: list[JoinedArgument] = field(default_factory=list)
    # Records that are in none of the files of this one, and may be the same.
    counterparts: list[Key] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.sentence} {joined(self.positions)}"


class _DifferentError(ValueError):
    pass


@dataclass(slots=True)
class _BrokenLines:
    """The bad lines of a file, as text, as words and by their positions."""

    text: str = ""
    words: set[str] = field(default_factory=set)
    positions: set[Positions] = field(default_factory=set)
    count: int = 0

    def add(self, text: str, positions: Positions) -> None:
        self.text += f"{text}\n"
        self.words.update(text.split())
        self.positions.add(positions)
        self.count += 1

    def may_be(self, record: JoinedRecord) -> bool:
        """Return True if a line has the positions or words of the record."""
        return (
            record.positions in self.positions
            or not self.words.isdisjoint((record.sentence, joined(record.positions)))
            or record.sentence in self.text
            or f"{record.lemma}." in self.text
        )


def read_joined(
    paths: Sequence[Path],
    *,
    on_error: ErrorSink,
    problem_of: Callable[[JoinedRecord], str] = lambda record: "",
) -> Iterator[JoinedRecord]:
    """Yield the records of all files in the order of the first mention.

    A record with a bad line in any file, or with lines that contradict each other, goes to `on_error`
    and is left out as a whole. A bad line without positions leaves out all records of its sentence.
    A bad line may also be that of a record that its file lacks, which is then left out. `problem_of`
    returns a sentence about a record that can't be used, or "".
    Two records may not begin at the same token. Raise FileError for an unreadable file, or if there is
    no record.
    """
    reading = _Reading(on_error, problem_of)
    for path in paths:
        if _has_confidences(path):
            reading.add_confidences(path)
        else:
            reading.add_records(path)
    if not reading.records and not reading.has_bad_lines:
        raise FileError(paths[0].name, None, "contains no record.")
    yield from reading.complete()


class _Reading:
    """The records of the files that were read so far."""

    def __init__(self, on_error: ErrorSink, problem_of: Callable[[JoinedRecord], str]) -> None:
        self.records: dict[Key, JoinedRecord] = {}
        self._confidences: dict[Key, tuple[int, Path, int]] = {}
        self._bad: set[Key] = set()
        self._keys: dict[Path, set[Key]] = {}
        self._broken: dict[Path, _BrokenLines] = {}
        self._cut_off: set[Path] = set()
        self._on_error = on_error
        self._problem_of = problem_of

    @property
    def has_bad_lines(self) -> bool:
        return bool(self._bad)

    def add_records(self, path: Path) -> None:
        keys = self._keys.setdefault(path, set())
        before: Key | None = None
        is_bad = False
        for record in all_records(path):
            is_bad = isinstance(record, BadRecord)
            key = record.sentence, record.positions
            keys.add(key)
            if isinstance(record, BadRecord):
                self._add_bad_line(path, record.text, record.positions)
                self._leave_out(key, record.error)
                if before and not record.positions:
                    # The line may be the end of the one before.
                    self._leave_out(before, record.error)
                continue
            before = key
            try:
                _add(self.records, record, path)
            except _DifferentError as error:
                self._add_bad_line(path, *key)
                self._leave_out(key, FileError(path.name, record.line, str(error)))
        if is_bad and not _ends_with_a_line(path):
            self._cut_off.add(path)

    def add_confidences(self, path: Path) -> None:
        keys = self._keys.setdefault(path, set())
        for line, text in numbered_lines(path):
            if not text.strip():
                continue
            sentence, *rest = text.split()
            verb: Positions = ()
            try:
                verb = tuple(int(part) for part in rest[0].split("_"))
                (confidence,) = map(int, rest[1:])
                earlier = self._confidences.setdefault((sentence, verb), (confidence, path, line))
                if earlier[0] != confidence:
                    raise _DifferentError(f"has another confidence than line {earlier[2]}.")
            except (ValueError, IndexError) as error:
                message = "is not a sentence id, a verb position and a whole number."
                message = str(error) if isinstance(error, _DifferentError) else message
                self._add_bad_line(path, text, verb)
                self._leave_out((sentence, verb), FileError(path.name, line, message))
            keys.add((sentence, verb))

    def _add_bad_line(self, path: Path, text: str, positions: Positions) -> None:
        lines = self._broken.setdefault(path, _BrokenLines())
        if lines.count == MAX_BROKEN_LINES or len(text) > MAX_BROKEN_LINE:
            self._cut_off.add(path)
        else:
            lines.add(text, positions)

    def _leave_out(self, key: Key, error: FileError) -> None:
        self._bad.add(key)
        name = f"{key[0]} {joined(key[1])}" if key[1] else f"Every record of {key[0]}"
        message = f"{error.message} {name} is left out."
        self._on_error(FileError(error.file, error.line, message, field=error.field))

    def complete(self) -> Iterator[JoinedRecord]:
        """Yield the records without a bad line, with their confidences."""
        for key, (confidence, path, line) in self._confidences.items():
            if key in self.records:
                self.records[key].confidence = confidence
            elif not self._is_bad(key):
                self._add_bad_line(path, *key)
                message = f"there is no record of {key[0]} {joined(key[1])}."
                self._on_error(FileError(path.name, line, message))
        self._leave_out_contradictions()
        self._add_counterparts()
        for key, record in self.records.items():
            if not self._is_bad(key) and not self._may_be_broken(key, record):
                yield record

    def _leave_out_contradictions(self) -> None:
        """Leave out records that can't be used, or begin at the same token as another one."""
        first_names: dict[tuple[str, int], str] = {}
        for key, record in self.records.items():
            if self._is_bad(key):
                continue
            first = first_names.setdefault((key[0], key[1][0]), record.name)
            message = self._problem_of(record)
            if first != record.name:
                message = f"{record.name} begins at the same token as {first}."
            if message:
                for path in (path for path, keys in self._keys.items() if key in keys):
                    self._add_bad_line(path, *key)
                self._leave_out(key, FileError(record.file, record.line, message))

    def _may_be_broken(self, key: Key, record: JoinedRecord) -> bool:
        """Return True after naming a record that a file lacks, if a bad line may be its.

        The line has the same positions or words of the record, or it is the last one of a file that was
        cut off, or one of too many.
        """
        for path, lines in self._broken.items():
            if key in self._keys[path]:
                continue
            if path in self._cut_off or lines.may_be(record):
                message = (
                    f"{record.name} is left out, because a bad line of {path.name} may be its."
                )
                self._on_error(FileError(record.file, record.line, message))
                return True
        return False

    def _add_counterparts(self) -> None:
        """Add the records of other files to each record that is not in all files."""
        by_files: dict[frozenset[Path], list[Key]] = {}
        for key in self.records:
            files = frozenset(path for path, keys in self._keys.items() if key in keys)
            by_files.setdefault(files, []).append(key)
        if len(by_files) > MAX_FILE_SETS:
            return
        for files, keys in by_files.items():
            others = [key for group in by_files if not group & files for key in by_files[group]]
            if len(others) <= MAX_COUNTERPARTS:
                for key in keys:
                    self.records[key].counterparts = others

    def _is_bad(self, key: Key) -> bool:
        return key in self._bad or (key[0], ()) in self._bad


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
    place = path.name, record.line
    arguments = [_joined_argument(argument, record.frame, place) for argument in record.arguments]
    by_place = {argument.positions: argument for argument in known.arguments}
    for argument in arguments:
        _check_same(by_place.get(argument.positions), argument, record)
    if frame and not known.frame:
        known.frame, known.frame_place = frame, place
    for argument in arguments:
        earlier = by_place.get(argument.positions)
        if earlier is None:
            known.arguments.append(argument)
        else:
            earlier.element = earlier.element or argument.element
            earlier.role = earlier.role or argument.role
            earlier.places = argument.places | earlier.places
    records[key] = known


def _joined_argument(argument: Argument, frame: str, place: Place) -> JoinedArgument:
    label = "" if frame == BLIND or argument.role in UNLABELLED else argument.role
    element, role = ("", label) if frame == NO_FRAME else (label, "")
    places = {"role" if frame == NO_FRAME else "element": place} if label else {}
    return JoinedArgument(argument.filler, argument.positions, element, role, places)


def _check_same(earlier: JoinedArgument | None, argument: JoinedArgument, record: Record) -> None:
    if earlier is None:
        return
    place = joined(argument.positions)
    if earlier.filler.casefold() != argument.filler.casefold():
        message = (
            f"the argument at {place} of {record.name} is {argument.filler}, "
            f"but {earlier.filler} in another file."
        )
        raise _DifferentError(message)
    for name in ("element", "role"):
        before, now = getattr(earlier, name), getattr(argument, name)
        if before and now and before != now:
            message = (
                f"the {name} at {place} of {record.name} is {now}, but {before} in another file."
            )
            raise _DifferentError(message)


def _ends_with_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _has_confidences(path: Path) -> bool:
    """Return True if the first line with text has a number instead of a verb."""
    for _, text in numbered_lines(path):
        if text.strip():
            fields = text.split()
            return len(fields) == 3 and fields[2].isascii() and fields[2].isdigit()
    return False

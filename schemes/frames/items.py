"""The scored items of a task and their labels, from records."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from schemes.contract.errors import FileError
from schemes.frames.records import Argument, BadRecord, Positions, Record, all_records, joined
from schemes.reports import BadRows, UsageError


class Task(StrEnum):
    """The three tasks of SemEval-2019 Task 2."""

    FRAMES = "A"
    FRAME_ROLES = "B.1"
    GENERIC_ROLES = "B.2"


class Baseline(StrEnum):
    """A baseline of the task.

    In order: one cluster per item, all in one, random, per lemma (head), per grammatical relation, per
    lemma and relation.
    """

    PER_ITEM = "1CPI"
    ALL_IN_ONE = "AIN1"
    RANDOM = "RANDOM"
    PER_HEAD = "1CPH"
    PER_RELATION = "1CPG"
    PER_HEAD_AND_RELATION = "1CPHG"


class BaselineError(UsageError):
    """A baseline that does not fit the task, or lacks its relations file."""


@dataclass(frozen=True, slots=True, order=True)
class ItemKey:
    """A verb of a sentence (task A), or one of its arguments (B.1, B.2)."""

    sentence: str
    verb: Positions
    argument: Positions = ()

    def __str__(self) -> str:
        verb = f"{self.sentence} {joined(self.verb)}"
        return f"{verb}, argument at {joined(self.argument)}" if self.argument else verb


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """An item's hashable, case-sensitive label and its line number."""

    label: Hashable
    line: int


Items = Mapping[ItemKey, LabelledItem]
_LabelOf = Callable[[Record, Argument], Hashable]


@dataclass(slots=True)
class BadRecords:
    """Invalid lines of files. The items of their verbs are left out of gold and system alike."""

    errors: BadRows = field(default_factory=BadRows)
    verbs: set[tuple[str, Positions]] = field(default_factory=set)

    def add(self, record: BadRecord) -> None:
        """Collect the line. Raise FileError if bad lines are not to be skipped."""
        self.errors(record.error)
        self.verbs.add((record.sentence, record.positions))

    def without_bad(self, items: Items) -> dict[ItemKey, LabelledItem]:
        """Return the items of other verbs. A line without positions leaves out its sentence."""
        return {
            key: item
            for key, item in items.items()
            if not {(key.sentence, key.verb), (key.sentence, ())} & self.verbs
        }


def read_items(
    path: Path, task: Task, *, bad_records: BadRecords | None = None
) -> dict[ItemKey, LabelledItem]:
    """Return the items of a file in its order.

    Labels are the frame for task A, the pair (frame, role) for B.1 and the role for B.2. `bad_records`
    may collect invalid lines. Otherwise, the first is raised as FileError. Raises FileError if the
    file has no item of this task.
    """
    bad_records = bad_records or BadRecords()
    records = []
    for record in all_records(path):
        if isinstance(record, BadRecord):
            bad_records.add(record)
        else:
            records.append(record)
    items = labelled(records, task)
    if not items:
        noun = "record" if task is Task.FRAMES else "argument"
        raise FileError(path.name, None, f"contains no {noun}, so there is nothing to score.")
    return items


def labelled(records: Iterable[Record], task: Task) -> dict[ItemKey, LabelledItem]:
    """Return the items of a task with the labels to be scored."""
    if task is Task.FRAMES:
        return _verbs(records, lambda record: record.frame)
    if task is Task.FRAME_ROLES:
        return _arguments(records, lambda record, argument: (record.frame, argument.role))
    return _arguments(records, lambda record, argument: argument.role)


def by_lemma(records: Iterable[Record], task: Task) -> dict[ItemKey, LabelledItem]:
    """Cluster by verb lemma, particles included (baseline 1CPH)."""
    if task is Task.FRAMES:
        return _verbs(records, lambda record: record.lemma)
    return _arguments(records, lambda record, argument: record.lemma)


def by_relation(records: Iterable[Record]) -> dict[ItemKey, LabelledItem]:
    """Cluster by grammatical relation, from the role column (baseline 1CPG)."""
    return labelled(records, Task.GENERIC_ROLES)


def by_lemma_and_relation(records: Iterable[Record]) -> dict[ItemKey, LabelledItem]:
    """Cluster by verb lemma and grammatical relation (baseline 1CPHG)."""
    return _arguments(records, lambda record, argument: (record.lemma, argument.role))


def _verbs(
    records: Iterable[Record], label: Callable[[Record], Hashable]
) -> dict[ItemKey, LabelledItem]:
    return {
        ItemKey(record.sentence, record.positions): LabelledItem(label(record), record.line)
        for record in records
    }


def _arguments(records: Iterable[Record], label: _LabelOf) -> dict[ItemKey, LabelledItem]:
    return {
        ItemKey(record.sentence, record.positions, argument.positions): LabelledItem(
            label(record, argument), record.line
        )
        for record in records
        for argument in record.arguments
    }


def check_same_items(gold: Items, gold_file: str, system: Items, system_file: str) -> None:
    """Raise FileError for the first item that is only in one of the files.

    A moved position is both an extra and a missing item, and the message mentions both.
    """
    missing = [key for key in gold if key not in system]
    extra = [key for key in system if key not in gold]
    if extra:
        key = extra[0]
        message = f"{key} is not in {gold_file}{_others(extra, missing)}."
        raise FileError(system_file, system[key].line, message)
    if missing:
        key = missing[0]
        where = f"{gold_file}, line {gold[key].line}"
        raise FileError(system_file, None, f"{key} is missing ({where}){_others(missing, [])}.")


def _others(kind: list[ItemKey], other_kind: list[ItemKey]) -> str:
    counts = []
    if len(kind) > 1:
        counts.append(f"{len(kind) - 1} more like it")
    if other_kind:
        counts.append(f"{len(other_kind)} are missing, first {other_kind[0]}")
    return "".join(f"; {count}" for count in counts)

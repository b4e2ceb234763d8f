"""The clustering tables of SemEval-2019 Task 2, recomputed from a folder of records."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schemes.base import FileError, refuse
from schemes.frames.items import Baseline, Task
from schemes.frames.records import read_records
from schemes.reproduction import NOT_RECORDED, Figure, Reproduction, files_in, percent

if TYPE_CHECKING:
    from schemes.frames import evaluation as files

_BASELINES = {
    Task.FRAMES: (Baseline.PER_HEAD,),
    Task.FRAME_ROLES: (Baseline.PER_HEAD_AND_RELATION,),
    Task.GENERIC_ROLES: (Baseline.PER_RELATION,),
}
_TRIVIAL = (Baseline.PER_ITEM, Baseline.ALL_IN_ONE, Baseline.RANDOM)
_NEEDS_RELATIONS = (Baseline.PER_RELATION, Baseline.PER_HEAD_AND_RELATION)
_SCORES = {
    "purity": "purity %",
    "inverse_purity": "inverse purity %",
    "purity_f": "purity F %",
    "bcubed_precision": "BCubed precision %",
    "bcubed_recall": "BCubed recall %",
    "bcubed_f": "BCubed F %",
}
# Parts of the names of gold files and of their folders.
_GOLD_NAMES = ("gold", "expert")


@dataclass(frozen=True, slots=True)
class _Files:
    """The record files of a folder by task, and files of grammatical relations."""

    folder: Path
    by_task: dict[Task, list[Path]]
    relations: list[Path]

    def gold(self, task: Task) -> Path | None:
        """Return the gold file of a task: the one named so, or the only one."""
        paths = self.by_task[task]
        named = [path for path in paths if self._is_gold(path)]
        return named[0] if named else (paths[0] if len(paths) == 1 else None)

    def _is_gold(self, path: Path) -> bool:
        return any(name in str(path.relative_to(self.folder)).lower() for name in _GOLD_NAMES)


def reproduce(folder: Path) -> list[Figure]:
    """Return the scores of baselines and systems. Raises FileError without record files."""
    if not folder.is_dir():
        raise FileError(folder.name, None, "is not a folder. Give the folder of the task's files.")
    files = _sorted_files(folder)
    if not any(files.by_task.values()):
        raise FileError(folder.name, None, "has no file of labelled records (.txt).")
    return [figure for task in Task for figure in _table(files, task)]


def _sorted_files(folder: Path) -> _Files:
    by_task: dict[Task, list[Path]] = {task: [] for task in Task}
    relations = []
    for path in files_in(folder, "*.txt", "*.stx"):
        kind = _kind_of(path)
        if isinstance(kind, Task):
            by_task[kind].append(path)
        elif kind:
            relations.append(path)
    return _Files(folder, by_task, relations)


def _kind_of(path: Path) -> Task | str:
    """Return the task of labelled records, "relations" for blind ones, or "" for other files."""
    try:
        records = list(read_records(path, on_error=refuse))
    except FileError:
        return ""
    frames = {record.frame for record in records}
    has_arguments = any(record.arguments for record in records)
    if frames <= {"unkn"}:
        return "relations" if has_arguments else ""
    if not has_arguments:
        return Task.FRAMES
    return Task.GENERIC_ROLES if frames == {"na"} else Task.FRAME_ROLES


def _table(files: _Files, task: Task) -> Iterator[Figure]:
    gold = files.gold(task)
    if gold is None:
        reason = "several files, none named gold" if files.by_task[task] else "the file is missing"
        yield Figure(f"Task {task}", "gold", None, None, f"{reason}; {NOT_RECORDED}")
        return
    for baseline in (*_TRIVIAL, *_BASELINES[task]):
        yield from _baseline(files, task, gold, baseline)
    systems = [path for path in files.by_task[task] if path != gold]
    for path in systems:
        yield from _system(task, gold, path)
    if not systems:
        note = f"put the systems' files in the folder; {NOT_RECORDED}"
        yield Figure(f"Task {task}", "systems", None, None, note)


def _baseline(files: _Files, task: Task, gold: Path, baseline: Baseline) -> Iterator[Figure]:
    # Inline, here and below, because it loads numpy.
    from schemes.frames import evaluation  # noqa: PLC0415

    tables = files.relations if baseline in _NEEDS_RELATIONS else [None]
    problem = "the file of relations (frames unkn) is missing"
    for relations in tables:
        try:
            scored = evaluation.evaluate_baseline(
                gold, baseline, task=task, relations_path=relations
            )
        except FileError as error:
            problem = str(error)
            continue
        yield from _scores(task, str(baseline), scored)
        return
    yield Figure(f"Task {task}", str(baseline), None, None, f"{problem}; {NOT_RECORDED}")


def _system(task: Task, gold: Path, path: Path) -> Iterator[Figure]:
    from schemes.frames import evaluation  # noqa: PLC0415

    try:
        scored = evaluation.evaluate_files(gold, path, task=task)
    except FileError as error:
        yield Figure(f"Task {task}", path.name, None, None, str(error))
        return
    yield from _scores(task, path.name, scored)


def _scores(task: Task, name: str, scored: "files.Evaluation") -> Sequence[Figure]:
    table, scores = f"Task {task}", asdict(scored.scores)
    clusters = Figure(table, f"{name}, clusters", None, scores["system_clusters"], NOT_RECORDED)
    return [
        clusters,
        *(
            Figure(table, f"{name}, {label}", None, percent(scores[key]), NOT_RECORDED)
            for key, label in _SCORES.items()
        ),
    ]


FRAMES = Reproduction(
    name="frames",
    title="Semantic frames",
    paper="QasemiZadeh et al. 2019, SemEval-2019 Task 2",
    description="""The clustering tables of SemEval-2019 Task 2, from a folder of its files.

The gold files have "gold" or "expert" in their names or folders. Files whose frames are all unkn give
the grammatical relations of the baselines. Other records are systems.

example:
  python manage.py reproduce frames semeval-data --out tables
""",
    metavar="FOLDER",
    help="a folder of the task's record files (.txt); files that are missing are named",
    run=reproduce,
)

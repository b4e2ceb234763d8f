"""The tables of SemEval-2019 Task 2, recomputed from a folder of records."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from schemes.contract.errors import FileError, refuse
from schemes.frames import paper_figures as paper
from schemes.frames.items import Baseline, Task
from schemes.frames.records import Record, read_records
from schemes.reproduction import Figure, Number, Reproduction, files_in, percent

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
    reason = _other_gold(files)
    figures = [
        *_table_1(files),
        *_table_3(),
        *_table_4(),
        *_table_5(files),
        *(figure for task in Task for figure in _table_6(files, task)),
        *_table_7(),
    ]
    return [replace(figure, reason=reason) for figure in figures]


def _other_gold(files: _Files) -> str:
    """Return that the gold has another number of records than the paper's, or ""."""
    in_paper, records = paper.TABLE_1["records"][0], _gold_records(files, Task.FRAMES)
    if records is None or len(records) == in_paper:
        return ""
    return f"the gold of task A has {len(records):,} records, and the paper's {in_paper:,}"


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


def _table_1(files: _Files) -> Iterator[Figure]:
    """Yield the statistics of all annotations. Only those of the released gold can be recomputed."""
    recomputed = _statistics(files)
    for column, title in enumerate(paper.COLUMNS):
        table = f"Table 1, {title}"
        for name, figures in paper.TABLE_1.items():
            value, missing = recomputed.get(name, (None, "")) if column == 0 else (None, "")
            note = f"{missing} is missing" if missing else _note_of(name, column)
            yield _figure(table, name, figures[column], value, note, needs_file=bool(missing))
    value, missing = recomputed["element types, pairs with a frame"]
    note = f"{missing} is missing" if missing else ""
    name = "element types, pairs with a frame"
    yield _figure(
        "Table 6, task B.1", name, paper.ELEMENT_PAIRS, value, note, needs_file=bool(missing)
    )


def _note_of(name: str, column: int) -> str:
    if column:
        return "these annotations are not public"
    if name == "multi-word units":
        return "the paper doesn't say what it counts"
    return "" if name in _COUNTED else "is not in the released files"


_COUNTED = {"records", "sentences", "verb forms", "frame types", "frame elements"}
_COUNTED |= {"element types, distinct names", "semantic arguments"}


def _statistics(files: _Files) -> dict[str, tuple[Number, str]]:
    """Return the counts of the gold by name, each with the file that it lacks or ""."""
    frames, elements, roles = (_gold_records(files, task) for task in Task)
    of_frames = "the gold of task A"
    named = [
        (record.frame, argument.role) for record in elements or () for argument in record.arguments
    ]
    counts = {
        "records": (frames, of_frames, len(frames or ())),
        "sentences": (frames, of_frames, len({record.sentence for record in frames or ()})),
        "verb forms": (frames, of_frames, len({record.lemma for record in frames or ()})),
        "frame types": (frames, of_frames, len({record.frame for record in frames or ()})),
        "frame elements": (elements, "the gold of task B.1", len(named)),
        "element types, distinct names": (
            elements,
            "the gold of task B.1",
            len({role for _, role in named}),
        ),
        "element types, pairs with a frame": (elements, "the gold of task B.1", len(set(named))),
        "semantic arguments": (
            roles,
            "the gold of task B.2",
            sum(len(record.arguments) for record in roles or ()),
        ),
    }
    return {
        name: (None, file) if records is None else (count, "")
        for name, (records, file, count) in counts.items()
    }


def _gold_records(files: _Files, task: Task) -> list[Record] | None:
    path = files.gold(task)
    return None if path is None else list(read_records(path, on_error=refuse))


def _figure(
    table: str,
    name: str,
    in_paper: Number,
    recomputed: Number,
    note: str,
    *,
    needs_file: bool = False,
) -> Figure:
    return Figure(table, name, in_paper, recomputed, note, digits=2, needs_file=needs_file)


def _table_3() -> Iterator[Figure]:
    note = "the parser's output is not public; see evaluate frames --complete-with"
    yield _figure("Table 3, Open-SESAME", "records in common", paper.RECORDS_IN_COMMON, None, note)
    for task, figures in paper.TABLE_3.items():
        for name, value in zip(list(_SCORES.values())[3:], figures, strict=True):
            yield _figure(f"Table 3, Open-SESAME, task {task}", name, value, None, note)


def _table_4() -> Iterator[Figure]:
    for step, figures in paper.TABLE_4.items():
        for name, value in zip(("hours", "moves"), figures, strict=True):
            yield _figure("Table 4, effort", f"{step}, {name}", value, None, "logs are not public")


def _table_5(files: _Files) -> Iterator[Figure]:
    """Yield the verb forms and records of the frames with the highest and the lowest confidence."""
    records = _gold_records(files, Task.FRAMES)
    missing = "" if records else "the gold of task A is missing"
    for frame, (forms, count, confidence) in paper.TABLE_5.items():
        own = [record for record in records or () if record.frame == frame]
        table = f"Table 5, {frame}"
        values = {"verb forms": (forms, len({record.lemma for record in own}))}
        values["records"] = count, len(own)
        for name, (in_paper, value) in values.items():
            recomputed = None if missing else value
            yield _figure(table, name, in_paper, recomputed, missing, needs_file=bool(missing))
        note = "confidences are not public"
        yield _figure(table, "mean confidence", confidence, None, note)


def _table_6(files: _Files, task: Task) -> Iterator[Figure]:
    """Yield the scores of baselines and systems. Table 2 is the last column."""
    table, figures = f"Table 6, task {task}", paper.TABLE_6[task]
    gold = files.gold(task)
    if gold is None:
        reason = "several files, none named gold" if files.by_task[task] else "the gold is missing"
        for name, scores in figures.items():
            yield from _printed(table, name, scores, reason, needs_file=True)
        return
    for baseline in (*_TRIVIAL, *_BASELINES[task]):
        yield from _baseline(files, task, gold, baseline)
    for name, scores in figures.items():
        if name not in list(Baseline):
            yield from _printed(table, name, scores, "the system's output is not public")
    for path in [path for path in files.by_task[task] if path != gold]:
        yield from _system(task, gold, path)


def _printed(
    table: str, name: str, scores: paper.Scores, note: str, *, needs_file: bool = False
) -> Iterator[Figure]:
    """Yield the paper's scores, which can't be recomputed."""
    for label, value in zip(("clusters", *_SCORES.values()), scores, strict=True):
        yield _figure(table, f"{name}, {label}", value, None, note, needs_file=needs_file)


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
        note = "the paper's draw is not public" if baseline == Baseline.RANDOM else ""
        yield from _scores(task, str(baseline), scored, note)
        return
    table, scores = f"Table 6, task {task}", paper.TABLE_6[task][baseline]
    yield from _printed(table, str(baseline), scores, problem, needs_file=True)


def _system(task: Task, gold: Path, path: Path) -> Iterator[Figure]:
    from schemes.frames import evaluation  # noqa: PLC0415

    try:
        scored = evaluation.evaluate_files(gold, path, task=task)
    except FileError as error:
        yield _figure(f"Table 6, task {task}", path.name, None, None, str(error))
        return
    yield from _scores(task, path.name, scored)


def _scores(
    task: Task, name: str, scored: "files.ScoredLabels", note: str = ""
) -> Iterator[Figure]:
    scores = asdict(scored.scores)
    values = [scores["system_clusters"], *(percent(scores[key]) for key in _SCORES)]
    printed = paper.TABLE_6[task].get(name, [None] * len(values))
    for label, in_paper, value in zip(
        ("clusters", *_SCORES.values()), printed, values, strict=True
    ):
        yield _figure(f"Table 6, task {task}", f"{name}, {label}", in_paper, value, note)


def _table_7() -> Iterator[Figure]:
    note = "the systems' outputs and the confidences are not public"
    for part, tasks in paper.TABLE_7.items():
        for task, rows in tasks.items():
            for name, figures in zip(("items", *paper.SYSTEMS), rows, strict=True):
                for confidence, value in enumerate(figures, start=1):
                    label = f"{name}, confidence {part} {confidence}"
                    yield _figure(f"Table 7, task {task}", label, value, None, note)


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
    run=lambda path, _: reproduce(path),
)

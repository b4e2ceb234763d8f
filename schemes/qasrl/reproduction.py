"""The tables of Roit et al. 2020, recomputed from a clone of the published data."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from metrics.argument_scores import ArgumentScores
from metrics.counts import Counts, mean, ratio
from schemes.base import FileError, refuse
from schemes.qasrl.annotation_files import (
    Annotations,
    Selection,
    is_parser_output,
    list_contradictions,
    read_annotation_file,
    read_annotations_by_worker,
    read_sentence_tokens,
)
from schemes.qasrl.bank import MODEL_QUESTIONS, Validity
from schemes.qasrl.evaluation import Evaluation
from schemes.qasrl.published_csv import read_gold_rows
from schemes.qasrl.worker_report import agreeing_pairs
from schemes.reproduction import NOT_RECORDED, Figure, Number, Reproduction, files_in, percent

_SPLITS = ("wikinews.dev", "wikinews.test", "wikipedia.dev", "wikipedia.test")
_SIZES: Mapping[str, Mapping[str, Number]] = {
    "wikinews.dev": {
        "sentences": 500, "predicates": 1264, "roles": 3714, "arguments": 4315,
        "roles per predicate": 2.9,
    }
}  # fmt: skip
_GOLD, _EXPERT, _SENTENCES = ".gold.csv", "ground_truth.csv", ".full.csv"
_EXPERT_PREDICATES = 100
_AGAINST_EXPERT = {
    "UA precision %": 79.9, "UA recall %": 89.4, "UA F1 %": 84.4,
    "LA precision %": 71.0, "LA recall %": 79.5, "LA F1 %": 75.0,
}  # fmt: skip
_WORKERS_UA, _CONSOLIDATED_UA, _CONSOLIDATED_LA = 79.8, 84.1, 67.8
_CENTS, _TRAINED, _SELECTED = 54.2, 30, 11
# The validity that the Bank's dense part is usually read with.
_DENSE = Selection(validity=Validity(5, 6))


@dataclass(frozen=True, slots=True)
class _Published:
    """The files of a clone, by the ends of their names."""

    folder: Path

    def named(self, ending: str) -> Path | None:
        """Return the first file whose name ends so."""
        return next(iter(files_in(self.folder, f"*{ending}")), None)


def reproduce(folder: Path) -> list[Figure]:
    """Return the figures of the paper. Raises FileError if the folder has no published file."""
    if not folder.is_dir():
        raise FileError(folder.name, None, "is not a folder. Give a clone of the published data.")
    published = _Published(folder)
    if not files_in(folder, f"*{_GOLD}", f"*{_EXPERT}"):
        message = f"has no *{_GOLD} or *{_EXPERT}. Give a clone of the published data."
        raise FileError(folder.name, None, message)
    return [
        *_dataset(published),
        *_contradictions(published),
        *_against_expert(published),
        *_agreement(published),
        *_other_resources(published),
        *_protocol(),
    ]


def _dataset(published: _Published) -> Iterator[Figure]:
    for split in _SPLITS:
        paper, path = _SIZES.get(split, {}), published.named(split + _GOLD)
        sizes = _sizes(path) if path else {}
        missing = "" if path else f"{split}{_GOLD} is missing"
        for name in ("sentences", "predicates", "roles", "arguments", "roles per predicate"):
            note = missing or ("" if name in paper else NOT_RECORDED)
            yield Figure(f"Dataset, {split}", name, paper.get(name), sizes.get(name), note)


def _sizes(path: Path) -> dict[str, Number]:
    """Return the sizes of gold. Roles are its rows, as in the paper."""
    rows = [row for row in read_gold_rows(path, on_error=refuse) if not row.is_redundant]
    predicates = len({(row.qasrl_id, row.verb_idx) for row in rows})
    roles = sum(bool(row.question) for row in rows)
    return {
        "sentences": len({row.qasrl_id for row in rows}),
        "predicates": predicates,
        "roles": roles,
        "arguments": sum(len(row.answers) for row in rows),
        "roles per predicate": ratio(roles, predicates),
    }


def _contradictions(published: _Published) -> Iterator[Figure]:
    """Yield how many words of each file are not those at their positions, which are scored."""
    sentences: dict[str, tuple[str, ...]] = {}
    for path in files_in(published.folder, f"*{_SENTENCES}"):
        sentences |= read_sentence_tokens(path)
    if not sentences:
        return
    for path in files_in(published.folder, f"*{_GOLD}", f"*{_EXPERT}"):
        messages = list_contradictions(path, sentences)
        note = messages[0] if messages else ""
        yield Figure("Words that differ from their positions", path.name, None, len(messages), note)


def _against_expert(published: _Published) -> Iterator[Figure]:
    table = "Gold against experts, wikinews.dev"
    gold, expert = published.named("wikinews.dev" + _GOLD), published.named(_EXPERT)
    if gold is None or expert is None:
        missing = f"*{_EXPERT}" if gold else f"wikinews.dev{_GOLD}"
        for figure, paper in _AGAINST_EXPERT.items():
            yield Figure(table, figure, paper, None, f"{missing} is missing")
        return
    scores = _scores(read_annotation_file(expert), read_annotation_file(gold))
    note = ""
    if scores.items != _EXPERT_PREDICATES:
        note = f"{scores.items} predicates are published, {_EXPERT_PREDICATES} are in the paper"
    recomputed = dict(_figures(scores))
    for figure, paper in _AGAINST_EXPERT.items():
        yield Figure(table, figure, paper, recomputed[figure], note)


def _scores(reference: Annotations, predicted: Annotations) -> ArgumentScores:
    return Evaluation(reference, predicted).scores


def _figures(scores: ArgumentScores) -> Iterator[tuple[str, float | None]]:
    for name, counts in (("UA", scores.ua), ("LA", scores.la)):
        yield f"{name} precision %", percent(counts.precision)
        yield f"{name} recall %", percent(counts.recall)
        yield f"{name} F1 %", percent(counts.f1)


def _agreement(published: _Published) -> Iterator[Figure]:
    table = "Agreement"
    workers, note = _worker_agreement(published)
    yield Figure(table, "single workers, UA F1 %", _WORKERS_UA, workers, note)
    (ua, la), note = _team_agreement(published)
    yield Figure(table, "consolidated, UA F1 %", _CONSOLIDATED_UA, ua, note)
    yield Figure(table, "consolidated, LA F1 %", _CONSOLIDATED_LA, la, note)


def _worker_agreement(published: _Published) -> tuple[float | None, str]:
    """Return the mean UA F1 over pairs of workers, in per cent."""
    path = published.named(".annot.csv")
    if path is None:
        return None, "annotations of single workers (*.annot.csv) are missing"
    pairs = agreeing_pairs(read_annotations_by_worker(path))
    return percent(mean(pair.scores.ua.f1 for pair in pairs)), ""


def _team_agreement(published: _Published) -> tuple[tuple[float | None, float | None], str]:
    """Return the UA and LA F1 of consolidations by teams without a common worker, in per cent.

    Their files are named DATASET.inter.WORKER_WORKER_CONSOLIDATOR.csv.
    """
    paths = files_in(published.folder, "*.inter.*.csv")
    teams = {path: set(path.name.split(".")[-2].split("_")) for path in paths}
    ua = la = Counts()
    for first, second in combinations(paths, 2):
        if teams[first].isdisjoint(teams[second]):
            scores = _scores(read_annotation_file(first), read_annotation_file(second))
            ua, la = ua + scores.ua, la + scores.la
    note = "" if paths else "consolidations by disjoint teams (*.inter.*.csv) are missing"
    return (percent(ua.f1), percent(la.f1)), note


def _other_resources(published: _Published) -> Iterator[Figure]:
    table = "Other annotations against experts"
    expert = published.named(_EXPERT)
    paths = files_in(published.folder, "*.jsonl", "*.jsonl.gz")
    reference = read_annotation_file(expert) if expert else {}
    for path in paths:
        yield from _other_resource(table, path, reference)
    if not paths:
        note = f"put the QA-SRL Bank's dense/dev.jsonl.gz in the folder; {NOT_RECORDED}"
        yield Figure(table, "QA-SRL Bank, UA F1 %", None, None, note)
        note = f"put a parser's output (.jsonl) in the folder; {NOT_RECORDED}"
        yield Figure(table, "parser, UA F1 %", None, None, note)
    note = f"PropBank is licensed; see evaluate propbank; {NOT_RECORDED}"
    for kind in ("all", "core", "adjunct"):
        yield Figure("Gold against PropBank", f"{kind} recall %", None, None, note)


def _other_resource(table: str, path: Path, reference: Annotations) -> Iterator[Figure]:
    try:
        how = "answers from 0.5" if is_parser_output(path) else "5 of 6 valid"
        notes: Counter[str] = Counter()
        predicted = read_annotation_file(path, selection=_DENSE, notes=notes)
        if left_out := notes[MODEL_QUESTIONS]:
            how = f"{how}, {left_out:,} questions of models left out"
    except FileError as error:
        yield Figure(table, path.name, None, None, str(error))
        return
    for figure, recomputed in _figures(_scores(reference, predicted)):
        note = NOT_RECORDED if reference else f"*{_EXPERT} is missing"
        yield Figure(table, f"{path.name} ({how}), {figure}", None, recomputed, note)


def _protocol() -> Sequence[Figure]:
    table, note = "Protocol", "payments and training are not published"
    return [
        Figure(table, "cents per predicate", _CENTS, None, note),
        Figure(table, "workers trained", _TRAINED, None, note),
        Figure(table, "workers selected", _SELECTED, None, note),
    ]


QASRL = Reproduction(
    name="qasrl",
    title="QA-SRL",
    paper="Roit et al. 2020, Controlled Crowdsourcing for High-Quality QA-SRL Annotation",
    description="""The figures of Roit et al. 2020, from a clone of the published data.

example:
  python manage.py reproduce qasrl qasrl-gs --out tables
""",
    metavar="FOLDER",
    help="a clone of the published data; files that are missing are named",
    run=reproduce,
)

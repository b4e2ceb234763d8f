"""The tables of Roit et al. 2020, recomputed from a clone of the published data."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from metrics.argument_scores import ArgumentScores
from metrics.counts import mean, ratio
from schemes.contract.errors import FileError, refuse
from schemes.qasrl import paper_figures as paper
from schemes.qasrl.annotation_files import (
    SOURCES,
    Annotation,
    Annotations,
    Predicate,
    Selection,
    is_parser_output,
    list_contradictions,
    read_annotation_file,
    read_annotations_by_worker,
    read_sentence_tokens,
    selection_of,
)
from schemes.qasrl.bank import MODEL_QUESTIONS, Validity
from schemes.qasrl.evaluation import ScoredFiles
from schemes.qasrl.published_csv import read_gold_rows
from schemes.qasrl.worker_report import agreeing_pairs, agreement_figures
from schemes.reports import Options
from schemes.reproduction import Figure, Number, Reproduction, files_in, percent

_SPLITS = ("wikinews.dev", "wikinews.test", "wikipedia.dev", "wikipedia.test")
_GOLD, _EXPERT, _SENTENCES = ".gold.csv", "ground_truth.csv", ".full.csv"
_BANK_FILE = "the QA-SRL Bank's dense/dev.jsonl.gz"
_PARTS_OF_GOLD: Mapping[str, tuple[str, ...]] = {
    "test": ("wikinews.test", "wikipedia.test"),
    "Wikinews dev": ("wikinews.dev",),
}
_FIGURES = ("precision %", "recall %", "F1 %")
# The validity that the Bank's dense part is usually read with.
_DENSE = Validity(5, 6)


@dataclass(frozen=True, slots=True)
class _Published:
    """The files of a clone, by the ends of their names. `dense` selects the questions of the Bank."""

    folder: Path
    dense: Selection

    def named(self, ending: str) -> Path | None:
        """Return the first file whose name ends so."""
        return next(iter(files_in(self.folder, f"*{ending}")), None)

    def bank(self) -> Path | None:
        """Return the first file of the QA-SRL Bank."""
        return next((path for path in self._json_lines() if not is_parser_output(path)), None)

    def parsers(self) -> list[Path]:
        """Return the output of parsers."""
        return [path for path in self._json_lines() if is_parser_output(path)]

    def _json_lines(self) -> Iterator[Path]:
        for path in files_in(self.folder, "*.jsonl", "*.jsonl.gz"):
            try:
                read_annotation_file(path)
            except FileError:
                continue  # named with the other annotations
            yield path


def reproduce(folder: Path, options: Options) -> list[Figure]:
    """Return the figures of the paper. Raises FileError if the folder has no published file."""
    if not folder.is_dir():
        raise FileError(folder.name, None, "is not a folder. Give a clone of the published data.")
    dense = replace(selection_of({"sources": options["sources"]}), validity=_DENSE)
    published = _Published(folder, dense)
    if not files_in(folder, f"*{_GOLD}", f"*{_EXPERT}"):
        message = f"has no *{_GOLD} or *{_EXPERT}. Give a clone of the published data."
        raise FileError(folder.name, None, message)
    return [
        *_dataset(published),
        *_dense(published),
        *_contradictions(published),
        *_agreement(published),
        *_table_4(published),
        *_table_5(),
        *_table_6(published),
        *_other_resources(published),
        *_protocol(),
    ]


def _dataset(published: _Published) -> Iterator[Figure]:
    for split in _SPLITS:
        table, in_paper = f"Dataset, {split}", paper.SIZES[split]
        gold = published.named(split + _GOLD)
        sizes = _sizes(gold) if gold else {}
        yield _sentences(published, split, sizes.get("sentences"))
        for name in ("predicates", "roles", "arguments", "roles per predicate"):
            missing = "" if gold else f"{split}{_GOLD}"
            yield _of_file(table, name, in_paper.get(name), sizes.get(name), missing=missing)


def _sentences(published: _Published, split: str, with_gold: Number) -> Figure:
    """Return the number of sentences. Some have no predicate, and files may have more than the split."""
    table, in_paper = f"Dataset, {split}", paper.SIZES[split]["sentences"]
    path = published.named(split + _SENTENCES)
    in_file = len(read_sentence_tokens(path)) if path else None
    count = in_file if in_file == in_paper or with_gold is None else with_gold
    note = f"{in_file} in {path.name}, {with_gold or 'none'} with gold" if path else ""
    missing = "" if count else f"{split}{_SENTENCES}"
    return _of_file(table, "sentences", in_paper, count, missing=missing, note=note)


def _of_file(
    table: str,
    figure: str,
    in_paper: Number,
    recomputed: Number,
    *,
    missing: str,
    note: str = "",
    digits: int = 1,
    reason: str = "",
) -> Figure:
    """Return a figure that is recomputed from a file, which is `missing` if it has a name."""
    return Figure(
        table,
        figure,
        in_paper,
        recomputed,
        f"{missing} is missing" if missing else note,
        digits=digits,
        needs_file=bool(missing),
        reason=reason,
    )


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


def _dense(published: _Published) -> Iterator[Figure]:
    """Yield the roles of the Bank's dense part, and how many more the gold of Wikinews dev has."""
    bank, gold = published.bank(), published.named("wikinews.dev" + _GOLD)
    table, name = "Dataset, Dense (2018)", "roles per predicate"
    annotations = read_annotation_file(bank, selection=published.dense) if bank else {}
    dense = ratio(sum(len(own.roles) for own in annotations.values()), len(annotations))
    missing = "" if bank else _BANK_FILE
    yield _of_file(table, name, paper.DENSE_ROLES_PER_PREDICATE, dense, missing=missing)
    own = _sizes(gold)[name] if gold else None
    missing = missing or ("" if gold else f"wikinews.dev{_GOLD}")
    more = percent(own / dense - 1) if own and dense else None
    name = "more roles per predicate in this work %"
    yield _of_file(table, name, paper.MORE_ROLES_THAN_DENSE, more, missing=missing, digits=0)


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


def _table_4(published: _Published) -> Iterator[Figure]:
    """Yield the scores against the experts, of the gold and of the Bank's dense part."""
    expert = published.named(_EXPERT)
    reference = read_annotation_file(expert) if expert else {}
    gold, bank = published.named("wikinews.dev" + _GOLD), published.bank()
    files = {"This work": (gold, f"wikinews.dev{_GOLD}"), "Dense (2018)": (bank, _BANK_FILE)}
    for system, (path, name) in files.items():
        table = f"Table 4, against experts: {system}"
        missing = (f"*{_EXPERT}" if expert is None else "") or (name if path is None else "")
        scores = None
        notes: Counter[str] = Counter()
        if path and not missing:
            predicted = read_annotation_file(path, selection=published.dense, notes=notes)
            scores = _scores(reference, predicted)
        note = "; ".join(filter(None, (_sample_note(scores), _models_note(notes))))
        predicates = scores.items if scores else None
        yield _of_file(
            table,
            "predicates",
            paper.EXPERT_PREDICATES,
            predicates,
            missing=missing,
            note=note,
        )
        for row, figures in paper.TABLE_4[system].items():
            if "manual" in row:
                yield from _unpublished(table, row, figures, "people's decisions on matches")
            else:
                yield from _scored(table, row, figures, scores, missing=missing, note=note)


def _sample_note(scores: ArgumentScores | None) -> str:
    if scores is None or scores.items == paper.EXPERT_PREDICATES:
        return ""
    return f"{scores.items} predicates are published, {paper.EXPERT_PREDICATES} are in the paper"


def _models_note(notes: Counter[str]) -> str:
    left_out = notes[MODEL_QUESTIONS]
    questions = "question" if left_out == 1 else "questions"
    return f"{left_out:,} {questions} of models left out" if left_out else ""


def _scored(
    table: str,
    row: str,
    figures: paper.Scores,
    scores: ArgumentScores | None,
    *,
    missing: str,
    note: str = "",
    reason: str = "",
) -> Iterator[Figure]:
    """Yield precision, recall and F1 of UA or LA, which the row begins with."""
    counts = scores and (scores.ua if row.startswith("UA") else scores.la)
    values = (counts.precision, counts.recall, counts.f1) if counts else (None, None, None)
    for name, in_paper, value in zip(_FIGURES, figures, values, strict=True):
        yield _of_file(
            table,
            f"{row}, {name}",
            in_paper,
            percent(value),
            missing=missing,
            note=note,
            reason=reason,
        )


def _unpublished(table: str, row: str, figures: paper.Scores, what: str) -> Iterator[Figure]:
    for name, in_paper in zip(_FIGURES, figures, strict=True):
        yield Figure(table, f"{row}, {name}", in_paper, None, f"{what} are not published")


def _table_5() -> Iterator[Figure]:
    note = "PropBank is licensed; see evaluate propbank"
    for system, rows in paper.TABLE_5.items():
        for row, figures in rows.items():
            for name, in_paper in zip(_FIGURES, figures, strict=True):
                yield Figure(
                    f"Table 5, against PropBank: {system}", f"{row}, {name}", in_paper, None, note
                )
    for name, in_paper in paper.PROPBANK_COUNTS.items():
        yield Figure("Section 4, against PropBank", name, in_paper, None, note)


def _table_6(published: _Published) -> Iterator[Figure]:
    """Yield the scores of a parser against the gold of the test splits and of Wikinews dev."""
    parsers = published.parsers()
    name = "a parser's output (.jsonl)"
    for part, splits in _PARTS_OF_GOLD.items():
        table = f"Table 6, parser against gold: {part}"
        golds = [published.named(split + _GOLD) for split in splits]
        lacking = [split for split, path in zip(splits, golds, strict=True) if path is None]
        missing = f"{lacking[0]}{_GOLD}" if lacking else ("" if parsers else name)
        reference: dict[Predicate, Annotation] = {}
        for gold in filter(None, golds):
            reference |= read_annotation_file(gold)
        scored: list[Path | None] = [*parsers] if not missing else [None]
        for path in scored:
            scores = _scores(reference, read_annotation_file(path)) if path else None
            of_file = f" ({path.name})" if path else ""
            for row, figures in paper.TABLE_6[part].items():
                yield from _scored(
                    f"{table}{of_file}",
                    row,
                    figures,
                    scores,
                    missing=missing,
                    reason="the paper's output of the parser is not public",
                )
    part = "Wikinews dev, 50 predicates, manual"
    for row, figures in paper.TABLE_6[part].items():
        table = f"Table 6, parser against gold: {part}"
        yield from _unpublished(table, row, figures, "people's decisions on matches")
    for name, in_paper in paper.SECTION_5.items():
        note = "the categories of the roles are not published"
        yield Figure("Section 5, what the parser misses", name, in_paper, None, note)


def _scores(reference: Annotations, predicted: Annotations) -> ArgumentScores:
    return ScoredFiles(reference, predicted).scores


def _figures(scores: ArgumentScores) -> Iterator[tuple[str, float | None]]:
    for name, counts in (("UA", scores.ua), ("LA", scores.la)):
        yield f"{name} precision %", percent(counts.precision)
        yield f"{name} recall %", percent(counts.recall)
        yield f"{name} F1 %", percent(counts.f1)


def _agreement(published: _Published) -> Iterator[Figure]:
    table = "Agreement"
    for printed, recomputed, missing, reason in (
        (
            paper.WORKER_AGREEMENT,
            _worker_agreement(published),
            "*.annot.csv, the annotations of single workers,",
            "the file has other pairs of workers than the paper's experiments",
        ),
        (
            paper.TEAM_AGREEMENT,
            _team_agreement(published),
            "*.inter.*.csv, consolidations by disjoint teams,",
            "the files have other teams than the paper's experiments",
        ),
    ):
        for (name, in_paper), value in zip(
            printed.items(), recomputed or [None] * len(printed), strict=True
        ):
            yield _of_file(
                table,
                name,
                in_paper,
                value,
                missing="" if recomputed else missing,
                reason=reason,
            )


def _worker_agreement(published: _Published) -> list[Number]:
    """Return the figures of WORKER_AGREEMENT, or nothing without predicates that two workers share."""
    path = published.named(".annot.csv")
    by_worker = read_annotations_by_worker(path) if path else {}
    figures = agreement_figures(by_worker, agreeing_pairs(by_worker))
    pairs = len(figures["pairs"])
    return [pairs, figures["items"], percent(figures["UA"]["mean_f1"])] if pairs else []


def _team_agreement(published: _Published) -> list[Number]:
    """Return the figures of TEAM_AGREEMENT, or nothing without two teams that share no worker.

    Their files are named DATASET.inter.WORKER_WORKER_CONSOLIDATOR.csv. The paper has the mean over its
    experiments.
    """
    paths = files_in(published.folder, "*.inter.*.csv")
    teams = {path: set(path.name.split(".")[-2].split("_")) for path in paths}
    scores = [
        _scores(read_annotation_file(first), read_annotation_file(second))
        for first, second in combinations(paths, 2)
        if teams[first].isdisjoint(teams[second])
    ]
    if not scores:
        return []
    ua, la = mean(own.ua.f1 for own in scores), mean(own.la.f1 for own in scores)
    return [len(scores), mean(own.items for own in scores), percent(ua), percent(la)]


def _other_resources(published: _Published) -> Iterator[Figure]:
    """Yield the scores of all JSON Lines against the experts, which the paper lacks."""
    expert = published.named(_EXPERT)
    reference = read_annotation_file(expert) if expert else {}
    for path in files_in(published.folder, "*.jsonl", "*.jsonl.gz"):
        yield from _other_resource(path, reference, published.dense)


def _other_resource(path: Path, reference: Annotations, dense: Selection) -> Iterator[Figure]:
    table = "Other annotations against experts"
    notes: Counter[str] = Counter()
    try:
        how = "answers from 0.5" if is_parser_output(path) else "5 of 6 valid"
        predicted = read_annotation_file(path, selection=dense, notes=notes)
    except FileError as error:
        yield Figure(table, path.name, None, None, str(error))
        return
    note = _models_note(notes) if reference else f"*{_EXPERT} is missing"
    for figure, recomputed in _figures(_scores(reference, predicted)):
        yield Figure(table, f"{path.name} ({how}), {figure}", None, recomputed, note)


def _protocol() -> Iterator[Figure]:
    note = "payments and training are not published"
    for name, in_paper in paper.PROTOCOL.items():
        yield Figure("Protocol", name, in_paper, None, note)


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
    options=(SOURCES,),
)

"""A scheme with one label per sentence, such as its sentiment. Only tests use it.

Content is `{"label": name}`. The labels come from the project's resource `labels`, or from DEFAULT.
`docs/development/adding-a-scheme.md` walks through this module.
"""

import csv
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from schemes.contract.comparison import (
    AlignedRow,
    Compared,
    Comparison,
    DecisionKind,
    RowDecision,
    RowSide,
    StateText,
)
from schemes.contract.content import Content, Total
from schemes.contract.corpus import Corpus
from schemes.contract.errors import ContentError, ErrorSink, FileError
from schemes.contract.files import Exports
from schemes.contract.items import ItemContext
from schemes.contract.judging import JudgedUnit, Merging, Trace, Validating
from schemes.contract.pages import Pages, ShownUnit, Views
from schemes.contract.records import ExportRow, GoldRecord, ItemRecord, SentenceRecord
from schemes.contract.resources import Resource
from schemes.contract.scheme import Scheme
from schemes.contract.search import Search, SearchField
from schemes.contract.simulation import Simulation
from schemes.contract.values import Json, Noun
from schemes.contract.vocabulary import TaskTexts, Vocabulary
from schemes.figures import Measure, item_figure
from schemes.simulated_person import Person

DEFAULT = ["positive", "negative", "neutral"]
FORMAT = "labels-csv"
PAY = dict(zip(
    ("reward_cents", "free_units", "bonus_first_cents", "bonus_step_cents", "allowance_units"),
    (2, 1, 0, 0, 1), strict=True,
))  # fmt: skip
NOUN = Noun("label", "labels")
TASKS = {
    "generator": TaskTexts("Label a sentence", "Read a sentence and choose its label."),
    "consolidator": TaskTexts("Compare labels", "Choose the better of two labels."),
    "validator": TaskTexts("Check a label", "Read a sentence and check its label."),
    "reviser": TaskTexts("Revise a label", "Others dispute your label. Choose it again."),
}


def labels_of(context: ItemContext) -> list[str]:
    return list(context.resources.get("labels", {}).get("names", DEFAULT))


def parse(content: object, context: ItemContext) -> Json:
    """Return `{"label"}`. Raise ContentError for an unknown label."""
    label = content.get("label") if isinstance(content, dict) else None
    if label not in labels_of(context):
        raise ContentError("label", f"choose one of: {', '.join(labels_of(context))}.")
    return {"label": label}


def rows_of(path: Path, on_error: ErrorSink) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a file with the columns id, text and label."""
    with path.open(encoding="utf-8", newline="") as file:
        for line, row in enumerate(csv.DictReader(file), start=2):
            if row.get("id") and row.get("text"):
                yield line, {name: value or "" for name, value in row.items()}
            else:
                on_error(FileError(path.name, line, "has no id or no text.", field="id"))


class LabelsCorpus(Corpus):
    formats = {FORMAT: [".csv"]}
    gold_formats = (FORMAT,)

    def read_sentences(self, path: Path, fmt: str, on_error: ErrorSink) -> Iterator[SentenceRecord]:
        for line, row in rows_of(path, on_error):
            yield SentenceRecord(row["id"], tuple(row["text"].split()), line)

    def read_items(self, paths: Sequence[Path], on_error: ErrorSink) -> Iterator[ItemRecord]:
        for line, row in rows_of(paths[0], on_error):
            yield ItemRecord(row["id"], "0", {}, line)

    def read_gold(
        self, paths: Sequence[Path], fmt: str, on_error: ErrorSink, **options: Any
    ) -> Iterator[GoldRecord]:
        for line, row in rows_of(paths[0], on_error):
            item = ItemRecord(row["id"], "0", {}, line)
            yield GoldRecord(item, {"label": row.get("label", "")}, [{}], line)

    def find_items(self, external_id: str, context: ItemContext) -> list[ItemRecord]:
        return [ItemRecord(external_id, "0", {})]

    def complete_item(self, item: ItemRecord, context: ItemContext) -> ItemRecord:
        return item

    def headline(self, context: ItemContext) -> str:
        return " ".join(context.tokens[:8])


def accuracy(measures: Sequence[Measure]) -> float | None:
    return sum(item["correct"] for item in measures) / len(measures) if measures else None


STATES = {
    "found": StateText("same", "You chose the expert's label."),
    "label-differs": StateText("other label", "You chose another label than the expert."),
    "missed": StateText("no label", "You chose no label."),
}


class LabelsExports(Exports):
    formats = {FORMAT: "csv"}

    def write(self, rows: Iterable[ExportRow], path: Path, fmt: str) -> int:
        lines = [(row.external_id, " ".join(row.tokens), row.content["label"]) for row in rows]
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("id", "text", "label"), *lines])
        return len(lines)


class LabelsContent(Content):
    schema_version = 1
    empty = {"label": ""}
    totals = (Total("labels", NOUN),)
    parse_generation = staticmethod(parse)
    parse_gold = staticmethod(parse)
    parse_system = staticmethod(parse)

    def count_units(self, content: Json, role: str) -> int:
        return 1

    def count(self, content: Json) -> Json:
        return {"labels": int(bool(content.get("label")))}

    def differences(self, own_copy: object, other_copy: object, context: ItemContext) -> list[str]:
        return [] if own_copy == other_copy else ["The labels differ."]


class LabelsViews(Views):
    def units(self, content: object, context: ItemContext) -> list[ShownUnit] | None:
        label = content.get("label") if isinstance(content, dict) else None
        return [ShownUnit(label or "no label")] if isinstance(label, str) else None


class LabelsPages(Pages):
    def item(self, context: ItemContext) -> Json:
        return {"labels": labels_of(context)}


class LabelsComparison(Comparison):
    figures = (
        item_figure(
            key="accuracy",
            label="Accuracy",
            explanation="Items with the reference's label.",
            compute=accuracy,
        ),
    )
    rule = "labels.accuracy.v1"
    states = STATES
    decisions = (
        DecisionKind("accepted", "also correct", "Accept this label", "label"),
        DecisionKind("refused", "not correct", "Refuse this label", "label"),
    )
    round_thresholds = {1: {"accuracy": 0.5}, 2: {"accuracy": 0.8}}

    def compare(
        self,
        reference: Json,
        predicted: Json,
        context: ItemContext,
        decisions: Iterable[RowDecision] = (),
    ) -> Compared:
        decisions = list(decisions)
        if unknown := [decision for decision in decisions if decision.predicted != "label"]:
            raise ValueError(f"there is no row {unknown[0].predicted!r}")
        expected, chosen = reference.get("label"), predicted.get("label")
        state = "missed" if not chosen else "found" if expected == chosen else "label-differs"
        row = AlignedRow(
            state=state,
            label=STATES[state].label,
            reference=RowSide("label", [str(expected)]),
            predicted=RowSide("label", [chosen]) if chosen else None,
            decisions={"missed": (), "found": ("refused",)}.get(state, ("accepted",)),
        )
        return Compared(self.measure(reference, predicted, context.target, decisions), [row])

    def measure(
        self, reference: Json, predicted: Json, target: Json, decisions: Iterable[RowDecision] = ()
    ) -> dict[str, Json]:
        same = reference.get("label") == predicted.get("label")
        for decision in decisions:
            same = decision.kind == "accepted"
        return {"accuracy": {"correct": int(same)}}

    def count_kept(self, reference: Json, predicted: Json) -> int:
        return int(reference.get("label") == predicted.get("label"))


class LabelsMerging(Merging):
    rule = "labels.trace.v1"
    outcomes = (("labels", "labels"), ("kept", "kept"))

    def lay_out(self, sources: Sequence[Json], context: ItemContext) -> Json:
        return {"labels": [source["label"] for source in sources]}

    def parse(self, content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
        return parse(content, context)

    def gold_of(self, consolidation: Json, sources: Sequence[Json]) -> tuple[Json, list[Json]]:
        labels = [source["label"] for source in sources]
        label = consolidation["label"]
        source = labels.index(label) if label in labels else None
        return {"label": label}, [{"source": source, "state": "new" if source is None else "kept"}]

    def trace(self, consolidation: Json, sources: Sequence[Json]) -> Trace:
        kept = [int(source["label"] == consolidation["label"]) for source in sources]
        origin = {**self.gold_of(consolidation, sources)[1][0], "unit": 0}
        return Trace([origin], [{"kept": is_kept, "labels": 1} for is_kept in kept], {"labels": 1})

    def judged(
        self, consolidation: Json | None, sources: Sequence[Json], context: ItemContext
    ) -> list[JudgedUnit]:
        label = consolidation and consolidation["label"]
        states = [
            "" if not label else "kept" if source["label"] == label else "invalid"
            for source in sources
        ]
        return [
            JudgedUnit(at, 0, source["label"], [], states[at]) for at, source in enumerate(sources)
        ]


class LabelsValidating(Validating):
    rule = "labels.validation.v1"

    def asked(self, sources: Sequence[Json]) -> Json:
        return {"label": sources[0]["label"]}

    def parse(self, content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
        if not isinstance(content, dict) or type(content.get("valid")) is not bool:
            raise ContentError("valid", "choose yes or no.")
        return {"valid": content["valid"], "label": sources[0]["label"] if content["valid"] else ""}

    def gold_of(
        self, sources: Sequence[Json], validations: Sequence[Json], agree: int
    ) -> tuple[Json, list[Json]]:
        votes = sum(validation["valid"] for validation in validations)
        origin = {"source": 0, "state": "kept", "valid": votes, "answers": []}
        return {"label": sources[0]["label"] if votes >= agree else ""}, [origin]

    def disputes(self, sources: Sequence[Json], validations: Sequence[Json], agree: int) -> Json:
        """Return `{"label", "against"}` if fewer than `agree` validators support the label."""
        votes = sum(validation["valid"] for validation in validations)
        if votes >= agree:
            return {}
        return {"label": sources[0]["label"], "against": len(validations) - votes}

    def is_empty(self, sources: Sequence[Json]) -> bool:
        return not sources[0]["label"]

    def same_verdicts(self, first: Json, second: Json) -> tuple[int, int]:
        return int(first["valid"] == second["valid"]), 1

    def verdicts(self, content: Json) -> tuple[int, int]:
        return int(content["valid"]), 1


class LabelsSimulation(Simulation):
    nothing = {"label": DEFAULT[0]}

    def generate(self, reference: Json, context: ItemContext, person: Person, seed: str) -> Json:
        rng = random.Random(seed)
        return {"label": reference["label"] if rng.random() < person.skill else rng.choice(DEFAULT)}

    def invent(self, context: ItemContext) -> Json:
        return {"label": labels_of(context)[0]}

    def consolidate(
        self, sources: Sequence[Json], context: ItemContext, person: Person, seed: str
    ) -> Json:
        return {"label": sources[0]["label"]}

    def validate(
        self, sources: Sequence[Json], context: ItemContext, person: Person, seed: str
    ) -> Json:
        return {"valid": True}


class LabelList(Resource):
    label = "Labels"

    def parse(self, value: object) -> Json:
        if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
            raise ContentError("", "a list of label names is needed.")
        return {"names": value}

    def look_up(self, value: Json, query: str) -> list[Json]:
        return [{"name": name} for name in value["names"] if query.lower() in name.lower()]


SCHEME = Scheme(
    name="labels",
    title="Labels",
    vocabulary=Vocabulary(
        item=Noun("sentence", "sentences"), unit=NOUN, tasks=TASKS,
        keywords="annotation, labels", pay_presets={"labels": dict.fromkeys(TASKS, PAY)},
    ),
    corpus=LabelsCorpus(),
    content=LabelsContent(),
    comparison=LabelsComparison(),
    views=LabelsViews(),
    exports=LabelsExports(),
    pages=LabelsPages(),
    merging=LabelsMerging(),
    validating=LabelsValidating(),
    simulation=LabelsSimulation(),
    search=Search(
        content=SearchField("Label", lambda content, context: [content.get("label", "")]),
        target=SearchField("Word", lambda content, context: list(context.tokens)),
    ),
    resources={"labels": LabelList()},
)  # fmt: skip

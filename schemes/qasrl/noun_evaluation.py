"""QANom's evaluation of files of nouns: `evaluate qasrl --metric qanom` (Klein et al. 2020)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from metrics.counts import Counts, micro_sum, ratio
from metrics.greedy_alignment import SpanRole, role_counts
from schemes.contract.errors import FileError, refuse
from schemes.contract.values import Json
from schemes.qasrl.annotation_files import Predicate, Sentences, usable_rows
from schemes.qasrl.bank import looks_like_bank
from schemes.qasrl.published_csv import has_nouns
from schemes.qasrl.semantic_roles import role_of_question
from schemes.reports import BadRows, paragraphs, shown, text_table

QANOM = "qanom"


@dataclass(slots=True)
class NounAnnotation:
    """The annotation of a noun: whether it describes an event, and its rows with a question."""

    is_verbal: bool
    roles: list[SpanRole] = field(default_factory=list)


def read_noun_annotations(
    path: Path, *, sentences: Sentences | None = None, bad_rows: BadRows | None = None
) -> dict[Predicate, NounAnnotation]:
    """Return the nouns of a QA file, as QANom's evaluator reads them.

    The first row of a noun decides whether it is verbal. Each row with a question is a role, also if
    it is repeated or marked as redundant. Arguments are those of `read_annotation_file`. Raise
    FileError for files without decisions.
    """
    if looks_like_bank(path) or not has_nouns(path, on_error=refuse):
        message = f"is missing. --metric {QANOM} compares QA files of nouns."
        raise FileError(path.name, None, message, field="is_verbal")
    nouns: dict[Predicate, NounAnnotation] = {}
    for row in usable_rows(path, sentences, bad_rows or BadRows()):
        noun = nouns.get(row.key)
        if noun is None:
            noun = nouns[row.key] = NounAnnotation(bool(row.is_verbal))
        if row.question:
            label = role_of_question(row.question, row.slots, verb=row.verb_form)
            noun.roles.append(SpanRole((row.question, row.slots), label, row.answers))
    return nouns


def qanom_figures(
    reference: Mapping[Predicate, NounAnnotation], predicted: Mapping[Predicate, NounAnnotation]
) -> Json:
    """Return the figures of QANom's evaluator over the nouns of both files.

    Nouns of one file only are ignored and counted. The answers and questions of nouns whose decision
    differs are left out. Undefined ratios are None: without a noun that both files have, all of them;
    without a predicted answer, precision; without one in the reference, recall. The evaluator gives 1
    instead.
    """
    shared = [key for key in reference if key in predicted]
    decisions = Counter((reference[key].is_verbal, predicted[key].is_verbal) for key in shared)
    verbal = Counts(decisions[True, True], decisions[False, True], decisions[True, False])
    counts = [
        role_counts(reference[key].roles, predicted[key].roles)
        for key in shared
        if reference[key].is_verbal == predicted[key].is_verbal
    ]
    return {
        "nouns": len(shared),
        "only_in_reference": len(reference) - len(shared),
        "only_predicted": len(predicted) - len(shared),
        "other_decision": len(shared) - len(counts),
        "is_verbal": {
            **verbal.as_json(),
            "accuracy": ratio(len(counts), len(shared)),
        },
        "arguments": micro_sum(count.arguments for count in counts).as_json(),
        "labelled_arguments": micro_sum(count.labelled for count in counts).as_json(),
        "roles": micro_sum(count.roles for count in counts).as_json(),
    }


def qanom_text(figures: Json) -> str:
    """Return the table of the figures and what was left out of it, or "" without figures."""
    qanom = figures.get(QANOM)
    if qanom is None:
        return ""
    names = ("tp", "fp", "fn", "precision", "recall", "f1")
    rows = [
        (title, *(qanom[key][name] for name in names))
        for title, key in (
            ("is verbal", "is_verbal"),
            ("arguments, IoU > 0.3", "arguments"),
            ("labelled arguments", "labelled_arguments"),
            ("roles", "roles"),
        )
    ]
    accuracy = shown(qanom["is_verbal"]["accuracy"])
    facts = [f"{qanom['nouns']} nouns in both files, with equal decisions in {accuracy} %."]
    if qanom["other_decision"]:
        facts.append(f"The questions of the {qanom['other_decision']} others are left out.")
    if ignored := qanom["only_in_reference"] + qanom["only_predicted"]:
        facts.append(f"{ignored} nouns of one file only were ignored.")
    header = ("QANom's evaluator", "TP", "FP", "FN", "Precision %", "Recall %", "F1 %")
    return paragraphs(text_table(header, rows), " ".join(facts))

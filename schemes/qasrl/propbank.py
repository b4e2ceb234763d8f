"""Comparison of QA-SRL with PropBank (Roit et al. 2020, section 4)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metrics.counts import MacroAverage
from metrics.spans import Span
from schemes.contract.errors import ErrorSink
from schemes.contract.external import ExternalComparison, ExternalTable, GoldItem
from schemes.contract.values import Json, Noun
from schemes.qasrl.conll2009 import read_conll2009
from schemes.qasrl.conll2012 import looks_like_conll2012, read_conll2012
from schemes.qasrl.context_answers import is_outside
from schemes.qasrl.propbank_arguments import (
    PropBankPredicate,
    PropBankSentence,
    compare_with_propbank,
)
from schemes.reports import paragraphs, text_table
from schemes.text_lines import numbered_blocks

Predicate = tuple[str, int]  # sentence id, position of the verb
_KINDS = ("all", "core", "adjunct")
Questions = Mapping[Predicate, Sequence[tuple[str, Sequence[Span]]]]


@dataclass(frozen=True, slots=True)
class PropBankVerbs:
    """PropBank's verbs in the requested sentences. `unknown_sentences` counts its others."""

    predicates: Mapping[Predicate, PropBankPredicate]
    unknown_sentences: int


def read_propbank_verbs(
    path: Path, sentences: Mapping[str, Sequence[str]], *, on_error: ErrorSink
) -> PropBankVerbs:
    """Return the verbs of a CoNLL-2009 or CoNLL-2012 file, keyed by the ids of `sentences`.

    Sentences are matched by equal tokens, because the formats have no common ids. Nouns are
    excluded, because QA-SRL covers verbs only. Raises FileError as the readers do.
    """
    ids: dict[tuple[str, ...], list[str]] = {}
    for external_id, tokens in sentences.items():
        ids.setdefault(_plain(tokens), []).append(external_id)
    predicates: dict[Predicate, PropBankPredicate] = {}
    unknown = 0
    _, block = next(numbered_blocks(path), (0, []))
    read = read_conll2012 if looks_like_conll2012(block) else read_conll2009
    for sentence in read(path, on_error=on_error):
        known = ids.get(_plain(sentence.tokens), [])
        unknown += not known
        for external_id in known:
            predicates |= {(external_id, verb.index): verb for verb in _verbs(sentence)}
    return PropBankVerbs(predicates, unknown)


# The treebank's spelling of brackets, and OntoNotes' of final punctuation.
_PLAIN = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "/.": ".", "/?": "?", "/-": "-",
}  # fmt: skip


def _plain(tokens: Iterable[str]) -> tuple[str, ...]:
    return tuple([_PLAIN.get(token, token) for token in tokens])


def _verbs(sentence: PropBankSentence) -> Iterable[PropBankPredicate]:
    return [predicate for predicate in sentence.predicates if predicate.pos.startswith("V")]


def wh_of(question: str) -> str:
    """Return the question's first word in lower case."""
    return question.split(maxsplit=1)[0].lower() if question.strip() else ""


def propbank_figures(verbs: PropBankVerbs, questions: Questions) -> Json:
    """Return macro precision and recall over the predicates that both annotate.

    Figures cover all, core and adjunct arguments. `f1` is the harmonic mean of the two. Predicates
    of only one side are counted separately.
    """
    shared = {key: verb for key, verb in verbs.predicates.items() if key in questions}
    compared = compare_with_propbank(shared, questions)
    return {
        "predicates": len(shared),
        "only_propbank": len(verbs.predicates) - len(shared),
        "only_qasrl": len(questions) - len(shared),
        "unknown_sentences": verbs.unknown_sentences,
        **{kind: _average_json(comparison.average) for kind, comparison in compared.items()},
    }


def _average_json(average: MacroAverage) -> Json:
    precision, recall = average.precision, average.recall
    f1 = None
    if precision is not None and recall is not None:
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "precision_predicates": average.precision_items,
        "recall_predicates": average.recall_items,
    }


def propbank_text(figures: Json) -> str:
    """Return macro averages by kind of argument and the overlap of the predicates."""
    rows = PROPBANK.table(figures).rows
    summary = (
        "{predicates} predicates that both annotate; {only_propbank} of PropBank alone, {only_qasrl} "
        "of QA-SRL alone; {unknown_sentences} of PropBank's sentences are not in the sentences file."
    )
    header = ("", "Precision %", "Recall %", "F1 %")
    return paragraphs(summary.format(**figures), text_table(header, rows))


class PropBank(ExternalComparison):
    """Comparison of gold with a part of PropBank."""

    key = "propbank"
    label = "PropBank"
    help = "a CoNLL-2009 or CoNLL-2012 file as the reference, in place of --against"
    matching = "Sentences are matched by equal tokens."

    def compare(self, path: Path, gold: Iterable[GoldItem], on_error: ErrorSink) -> Json | None:
        """Return the figures of gold, or None if the file has no verb in its sentences."""
        sentences: dict[str, Sequence[str]] = {}
        questions: dict[Predicate, list[tuple[str, list[Span]]]] = {}
        for item in gold:
            sentences[item.external_id] = item.context.tokens
            questions[item.external_id, item.context.target["verb_idx"]] = [
                (wh_of(question["question"]), [(start, end) for start, end in question["answers"]])
                for question in item.content["questions"]
                if not is_outside(question)
            ]
        verbs = read_propbank_verbs(path, sentences, on_error=on_error)
        return propbank_figures(verbs, questions) if verbs.predicates else None

    def table(self, figures: Json) -> ExternalTable:
        predicates = Noun("predicate", "predicates")
        both = predicates.count(figures["predicates"])
        return ExternalTable(
            caption=f"{both} that both annotate; means over predicates",
            columns=("Arguments", "Precision", "Recall", "F1"),
            rows=[
                (kind, *(figures[kind][name] for name in ("precision", "recall", "f1")))
                for kind in _KINDS
            ],
            note=(
                f"{predicates.count(figures['only_propbank'])} of PropBank alone, "
                f"{figures['only_qasrl']:,} of this gold alone."
            ),
        )

    def text(self, figures: Json) -> str:
        return propbank_text(figures)


PROPBANK = PropBank()

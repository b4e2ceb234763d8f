"""Comparison of QA-SRL with PropBank (Roit et al. 2020, section 6)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metrics.counts import MacroAverage
from metrics.spans import Span
from schemes.base import ErrorSink, Json
from schemes.qasrl.conll2009 import (
    PropBankPredicate,
    PropBankSentence,
    compare_with_propbank,
    read_conll2009,
)

Predicate = tuple[str, int]  # sentence id, position of the verb
Questions = Mapping[Predicate, Sequence[tuple[str, Sequence[Span]]]]


@dataclass(frozen=True, slots=True)
class PropBankVerbs:
    """PropBank's verbs in the requested sentences. `unknown_sentences` counts its others."""

    predicates: Mapping[Predicate, PropBankPredicate]
    unknown_sentences: int


def read_propbank_verbs(
    path: Path, sentences: Mapping[str, Sequence[str]], *, on_error: ErrorSink
) -> PropBankVerbs:
    """Return the verbs of a CoNLL-2009 file, keyed by the ids of `sentences`.

    Sentences are matched by equal tokens, because the format has no ids. Nouns are excluded,
    because QA-SRL covers verbs only. Raises FileError as `read_conll2009` does.
    """
    ids: dict[tuple[str, ...], list[str]] = {}
    for external_id, tokens in sentences.items():
        ids.setdefault(tuple(tokens), []).append(external_id)
    predicates: dict[Predicate, PropBankPredicate] = {}
    unknown = 0
    for sentence in read_conll2009(path, on_error=on_error):
        known = ids.get(sentence.tokens, [])
        unknown += not known
        for external_id in known:
            predicates |= {(external_id, verb.index): verb for verb in _verbs(sentence)}
    return PropBankVerbs(predicates, unknown)


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

"""Learn the costs of suggested questions from wikinews.dev, and measure them on held-out sentences.

    python -m scripts.learn_suggestions GOLD.csv SENTENCES.csv            writes the costs
    python -m scripts.learn_suggestions GOLD.csv SENTENCES.csv --folds 5  measures by cross-validation

Three models are learned by maximum likelihood with an L2 penalty: the pattern of the next question,
its preposition, and its verb phrase. Costs are tenths of a nat.

A decision is a question of the gold standard, with the questions before it asked. Before typing
("open"), a hit is any question that remains. After the question word ("wh"), it is the question itself.
"Particle" and "infinitive" are the decisions of verbs that have such a question. In "particle left" and
"infinitive left", such a question remains.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from schemes.contract.values import Tokens
from schemes.english.forms import VerbForms
from schemes.english.verbs import candidate_forms, verb_forms_at
from schemes.qasrl.context_cues import cues_of
from schemes.qasrl.grammar import item_table
from schemes.qasrl.patterns import (
    RELATIONS,
    Facts,
    Pattern,
    features_of,
    relations_of,
    shape_name,
    split_pattern,
    time_name,
)
from schemes.qasrl.preposition_cues import cues_of_preposition, offered
from schemes.qasrl.published_csv import GoldRow, read_gold_rows, read_sentence_rows
from schemes.qasrl.ranking import WEIGHTS_FILE, ranking_table, shape_key, shared_costs, time_key
from schemes.qasrl.reading import Reading
from schemes.qasrl.sentence_phrases import SHAPES, TENSES
from schemes.qasrl.verb_context import Cue, cue_of
from schemes.qasrl.walker import Walker, read_question
from scripts.suggester import Suggester

MIN_PATTERN, MIN_CUE = 2, 6
# L2 penalties of the weights: by cue and feature of a pattern, by feature alone ("always"), by verb
# and feature, by relation, and by cue of a preposition.
PENALTY_CUE, PENALTY_ALWAYS, PENALTY_VERB = 25.0, 5.0, 10.0
PENALTY_RELATION, PENALTY_PREPOSITION = 0.3, 3.0
# The share of "any remaining question is next" in the loss. The rest is "each is next equally often".
ANY_SHARE = 0.7
FOLDS_BY = 97
Costs = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Verb:
    """A predicate with its questions, in the order of the file."""

    tokens: Tokens
    at: int
    forms: VerbForms
    texts: tuple[str, ...]
    readings: tuple[Reading, ...]
    sentence: str

    def cue(self) -> Cue:
        return cue_of(self.tokens, self.at, self.forms)


def verbs_of(gold: Path, sentences: Path) -> list[Verb]:
    tokens = {row.external_id: row.tokens for row in read_sentence_rows(sentences, on_error=fail)}
    rows = groupby(
        read_gold_rows(gold, on_error=fail), key=lambda row: (row.qasrl_id, row.verb_idx)
    )
    return [verb_of(tokens[key[0]], list(group)) for key, group in rows]


def verb_of(tokens: Tokens, rows: Sequence[GoldRow]) -> Verb:
    at = rows[0].verb_idx
    read = [
        (row.question, read_question(row.question, *candidate_forms(tokens[at]))) for row in rows
    ]
    known = [(text, reading) for text, reading in read if reading]
    texts, readings = zip(*known, strict=True) if known else ((), ())
    forms = verb_forms_at(tokens, at)
    return Verb(tokens, at, forms, tuple(texts), tuple(readings), rows[0].qasrl_id)


def fail(error: Exception) -> None:
    raise error


# --- the pattern of the next question


def learn(verbs: Sequence[Verb]) -> Costs:
    """Return the costs, as `ranking.py` reads them."""
    counts = Counter(split_pattern(r.slots)[0] for verb in verbs for r in verb.readings)
    patterns = [pattern for pattern, count in counts.most_common() if count >= MIN_PATTERN]
    by_cue, relations = learn_patterns(verbs, patterns)
    return {
        "patterns": [str(pattern) for pattern in patterns],
        "cues": by_cue,
        "relations": relations,
        "prepositions": learn_prepositions(verbs),
        **learn_phrases(verbs),
    }


def learn_patterns(
    verbs: Sequence[Verb], patterns: Sequence[Pattern]
) -> tuple[dict[str, list[int]], dict[str, int]]:
    contexts = [list(cues_of(verb.tokens, verb.at, verb.forms)) for verb in verbs]
    counts = Counter(name for names in contexts for name in names)
    cues = {name: at for at, name in enumerate(n for n in counts if counts[n] >= MIN_CUE)}
    names = dict.fromkeys(name for pattern in patterns for name in features_of(pattern))
    features = {name: at for at, name in enumerate(names)}
    has = np.zeros((len(patterns), len(features)))
    for row, pattern in enumerate(patterns):
        has[row, [features[name] for name in features_of(pattern)]] = 1
    context, related, wanted = decisions(verbs, contexts, cues, patterns)
    shape = (len(cues), len(features))
    size = len(cues) * len(features)
    by_name = np.array([penalty_of(name) for name in cues])
    relation_penalties = np.full(len(RELATIONS), PENALTY_RELATION)
    penalty = np.concatenate([np.repeat(by_name, len(features)), relation_penalties])

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        by_cue, by_relation = values[:size].reshape(shape), values[size:]
        scores = context @ (by_cue @ has.T).astype(np.float32)
        scores += related @ by_relation.astype(np.float32)
        error, difference = decision_loss(scores, wanted)
        slope = (context.T @ difference) @ has
        relation_slope = difference.ravel() @ related.reshape(difference.size, len(RELATIONS))
        total = error + float(penalty @ values**2) / 2
        return total, np.concatenate([slope.ravel(), relation_slope]) + penalty * values

    values = optimum(loss, size + len(RELATIONS))
    table = values[:size].reshape(shape) @ has.T
    by_relation = costs(values[size:])
    return (
        {name: costs(table[at]) for name, at in cues.items()},
        dict(zip(RELATIONS, by_relation, strict=True)),
    )


def penalty_of(cue: str) -> float:
    if cue == "always":
        return PENALTY_ALWAYS
    return PENALTY_VERB if cue.startswith("verb ") else PENALTY_CUE


def decisions(
    verbs: Sequence[Verb],
    contexts: Sequence[Sequence[str]],
    cues: dict[str, int],
    patterns: Sequence[Pattern],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the cues, the relations and the wanted patterns of each decision.

    The patterns of all remaining questions of the verb are wanted.
    """
    position = {pattern: at for at, pattern in enumerate(patterns)}
    relation = {name: at for at, name in enumerate(RELATIONS)}
    rows = []
    for verb, names in zip(verbs, contexts, strict=True):
        facts = Facts()
        active = [cues[name] for name in names if name in cues]
        for at, reading in enumerate(verb.readings):
            rest = [split_pattern(other.slots)[0] for other in verb.readings[at:]]
            targets = [position[pattern] for pattern in rest if pattern in position]
            if targets:
                held = [[relation[n] for n in relations_of(p, facts)] for p in patterns]
                rows.append((active, held, targets))
            facts.add(reading)
    context = np.zeros((len(rows), len(cues)), dtype=np.float32)
    related = np.zeros((len(rows), len(patterns), len(RELATIONS)), dtype=np.float32)
    wanted = np.zeros((len(rows), len(patterns)), dtype=bool)
    for row, (active, held, targets) in enumerate(rows):
        context[row, active] = 1
        for at, relations in enumerate(held):
            related[row, at, relations] = 1
        wanted[row, targets] = True
    return context, related, wanted


def decision_loss(scores: np.ndarray, wanted: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the loss of all decisions, and its derivative by the scores.

    The page shows several suggestions, and any remaining question among them helps. After a question
    word only one question does, so a share of the loss weighs all of them equally.
    """
    shifted = scores - scores.max(axis=1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    chances = np.exp(logs)
    hits = np.where(wanted, chances, 0)
    hit = np.maximum(hits.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    equal = wanted / wanted.sum(axis=1, keepdims=True, dtype=np.float32)
    target = ANY_SHARE * hits / hit + (1 - ANY_SHARE) * equal
    error = ANY_SHARE * np.log(hit).sum() + (1 - ANY_SHARE) * (equal * logs).sum()
    return -float(error), (chances - target).astype(np.float32)


def optimum(loss: Callable[[np.ndarray], tuple[float, np.ndarray]], size: int) -> np.ndarray:
    found = minimize(loss, np.zeros(size), jac=True, method="L-BFGS-B", options={"maxiter": 60})
    return np.asarray(found.x)


def costs(weights: Iterable[float]) -> list[int]:
    return [round(-10 * float(weight)) for weight in weights]


# --- its preposition


def learn_prepositions(verbs: Sequence[Verb]) -> dict[str, int]:
    """Return the costs of `<use>: <cue>`."""
    names: dict[str, int] = {}
    choices: list[tuple[list[list[int]], int]] = []
    for verb in verbs:
        phrases = offered(verb.tokens, verb.forms)
        used: set[str] = set()
        for reading in verb.readings:
            pattern, phrase = split_pattern(reading.slots)
            if phrase in phrases:
                active = [
                    [
                        names.setdefault(name, len(names))
                        for name in names_of(verb, pattern.use, p, used)
                    ]
                    for p in phrases
                ]
                choices.append((active, phrases.index(phrase)))
            if phrase:
                used.add(phrase)

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = (
            PENALTY_PREPOSITION / 2 * float(values @ values),
            PENALTY_PREPOSITION * values,
        )
        for active, wanted in choices:
            scores = np.array([values[at].sum() for at in active])
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            total -= float(np.log(chances[wanted]))
            for position, at in enumerate(active):
                slope[at] += chances[position] - (position == wanted)
        return total, slope

    values = costs(optimum(loss, len(names)))
    return {name: values[at] for name, at in names.items() if values[at]}


def names_of(verb: Verb, use: str, phrase: str, used: set[str]) -> list[str]:
    names = list(cues_of_preposition(verb.tokens, verb.at, phrase))
    if phrase in used:
        names.append("used")
    return [*(f"{use}: {name}" for name in names), *(f"any: {name}" for name in names)]


# --- its verb phrase


def learn_phrases(verbs: Sequence[Verb]) -> Costs:
    tenses: dict[str, Counter[str]] = defaultdict(Counter)
    shapes: dict[str, Counter[str]] = defaultdict(Counter)
    times: dict[str, Counter[str]] = defaultdict(Counter)
    polarities: dict[str, Counter[str]] = defaultdict(Counter)
    changes: Counter[str] = Counter()
    forms: Counter[str] = Counter()
    for verb in verbs:
        cue, facts = verb.cue(), Facts()
        for reading in verb.readings:
            is_passive = reading.slots.is_passive
            tenses[cue.tense][reading.tense] += 1
            shapes[shape_key(cue, is_passive=is_passive)][shape_name(reading)] += 1
            times[time_key(cue, is_passive=is_passive)][time_name(reading)] += 1
            polarities[str(cue.is_negated)][str(reading.slots.is_negated)] += 1
            forms[str(reading.has_separate_not)] += reading.slots.is_negated
            if facts.count:
                changes["of"] += 1
                changes["time"] += time_name(reading) not in facts.times
                changes["polarity"] += reading.slots.is_negated not in facts.polarities
            facts.add(reading)
    return {
        "tenses": {key: rates(counts, TENSES) for key, counts in tenses.items()},
        "shapes": {key: rates(counts, SHAPES) for key, counts in shapes.items()},
        "times": times,
        "polarities": {key: rates(n, ("True", "False")) for key, n in polarities.items()},
        "not": rates(forms, ("True", "False")),
        "changes": {
            name: costs([np.log(changes[name] / changes["of"])])[0] for name in ("time", "polarity")
        },
    }


def rates(counts: Counter[str], names: Sequence[str]) -> dict[str, int]:
    total = sum(counts.values()) + 0.2 * len(names)
    return {name: costs([np.log((counts[name] + 0.2) / total)])[0] for name in names}


# --- measurement

CLASSES = (
    *("all", "active", "passive"),
    *("particle", "particle left", "infinitive", "infinitive left"),
)
TOPS = (1, 3, 8)


def classes_of(verb: Verb) -> list[str]:
    """Return the classes of a verb, by its sentence (voice) and its questions."""
    return ["all", "passive" if verb.cue().is_passive else "active", *constructions(verb.readings)]


def constructions(readings: Iterable[Reading]) -> list[str]:
    patterns = [split_pattern(reading.slots)[0] for reading in readings]
    names = []
    if any(pattern.use.startswith("particle") for pattern in patterns):
        names.append("particle")
    if any(pattern.has_verb_phrase for pattern in patterns):
        names.append("infinitive")
    return names


def measure(verbs: Sequence[Verb], weights: Costs) -> Counter[tuple[str, str, int]]:
    """Count decisions (top 0) and hits, by class, before typing and after the question word."""
    hits: Counter[tuple[str, str, int]] = Counter()
    for verb in verbs:
        suggester = Suggester(
            Walker(item_table(verb.forms, verb.tokens)),
            ranking_table(verb.tokens, verb.at, verb.forms, weights=weights),
            costs=shared_costs(weights),
        )
        names = classes_of(verb)
        for at, text in enumerate(verb.texts):
            rest = {other.lower() for other in verb.texts[at:]}
            wh = verb.readings[at].slots.wh
            left = [f"{name} left" for name in constructions(verb.readings[at:])]
            for kind, typed, wanted in (("open", "", rest), ("wh", f"{wh} ", {text.lower()})):
                found = suggester.suggest(typed, verb.texts[:at])
                ranked = [suggestion.question.lower() for suggestion in found]
                for name in (*names, *left):
                    hits[kind, name, 0] += 1
                    for top in TOPS:
                        hits[kind, name, top] += bool(wanted & set(ranked[:top]))
    return hits


def cross_validated(verbs: Sequence[Verb], folds: int) -> Counter[tuple[str, str, int]]:
    """Measure each fold with costs learned from the others. A sentence is in one fold."""
    order = {sentence: at for at, sentence in enumerate(dict.fromkeys(v.sentence for v in verbs))}
    fold = [order[verb.sentence] * FOLDS_BY % folds for verb in verbs]
    hits: Counter[tuple[str, str, int]] = Counter()
    for held_out in range(folds):
        train = [v for v, number in zip(verbs, fold, strict=True) if number != held_out]
        test = [v for v, number in zip(verbs, fold, strict=True) if number == held_out]
        hits += measure(test, learn(train))
    return hits


def report(hits: Counter[tuple[str, str, int]]) -> str:
    lines = []
    for kind in ("open", "wh"):
        for name in CLASSES:
            count = hits[kind, name, 0]
            shares = "  ".join(f"@{top} {100 * hits[kind, name, top] / count:.1f}" for top in TOPS)
            lines.append(f"{kind:5} {name:15} {count:5}  {shares}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("gold", type=Path)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--folds", type=int, default=0)
    options = parser.parse_args()
    verbs = verbs_of(options.gold, options.sentences)
    if options.folds:
        print(report(cross_validated(verbs, options.folds)))
        return
    text = json.dumps(learn(verbs), indent=None, separators=(",", ":"))
    WEIGHTS_FILE.write_text(text.replace('],"', '],\n"').replace('},"', '},\n"') + "\n")


if __name__ == "__main__":
    main()

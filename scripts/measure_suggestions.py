"""Measure the first suggestions of QA-SRL's page against gold.

    python -m scripts.measure_suggestions GOLD.csv SENTENCES.csv --kind grammar

Nothing has been asked yet. `hit` is the share of verbs with a question of the gold, word for word,
among the first k. `phrase` is the share with a suggestion of the gold's modality and polarity: whether
most of the verb's questions have a modal, and whether they are negated. `modal` needs the same modal.
`sentence` needs the modal and negation that the sentence itself has, as `verb_context` reads them.

The learned ranking was learned from wikinews.dev, so its figures there show a fit, not a prediction.
`scripts.learn_suggestions --folds` measures it by cross-validation.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from schemes.contract.items import Suggestions
from schemes.qasrl.grammar import item_table
from schemes.qasrl.reading import MODALS, Reading
from schemes.qasrl.suggestions import suggestion_costs, suggestion_table
from schemes.qasrl.walker import Walker
from scripts.learn_suggestions import Verb, verbs_of
from scripts.suggester import Suggester

TOPS = (1, 3, 5)
MEASURES = ("hit", "phrase", "modal", "sentence")
Phrase = tuple[str, bool]  # modal or "", is_negated


def measure_first(verbs: Sequence[Verb], kind: Suggestions) -> Counter[tuple[str, str, int]]:
    """Count verbs (measure "verbs", top 0) and successes by class, measure and top."""
    counts: Counter[tuple[str, str, int]] = Counter()
    for verb in verbs:
        if not verb.readings:
            continue
        wanted = Counter(_phrase(reading) for reading in verb.readings).most_common(1)[0][0]
        texts, phrases = _first(verb, kind)
        for name in _classes(verb, wanted):
            counts[name, "verbs", 0] += 1
            for top in TOPS:
                for measure, holds in _successes(verb, wanted, texts[:top], phrases[:top]):
                    counts[name, measure, top] += holds
    return counts


def _first(verb: Verb, kind: Suggestions) -> tuple[list[str], list[Phrase]]:
    walker = Walker(item_table(verb.forms, verb.tokens))
    table = suggestion_table(kind, verb.tokens, verb.at, verb.forms)
    if table is None:
        return [], []
    suggester = Suggester(walker, table, costs=suggestion_costs()[kind])
    texts = [row.question for row in suggester.suggest("", [], limit=max(TOPS))]
    readings = [reading for reading in map(walker.read, texts) if reading]
    return texts, [_phrase(reading) for reading in readings]


def _phrase(reading: Reading) -> Phrase:
    return reading.tense if reading.tense in MODALS else "", reading.slots.is_negated


def _sentence_phrase(verb: Verb) -> Phrase:
    cue = verb.cue()
    return cue.tense if cue.tense in MODALS else "", cue.is_negated


def _classes(verb: Verb, wanted: Phrase) -> list[str]:
    names = [("all", True), ("gold has a modal", wanted[0]), ("gold is negated", wanted[1])]
    names.append(("sentence has a modal or negation", any(_sentence_phrase(verb))))
    return [name for name, holds in names if holds]


def _successes(
    verb: Verb, wanted: Phrase, texts: Sequence[str], phrases: Sequence[Phrase]
) -> list[tuple[str, bool]]:
    gold = {text.lower() for text in verb.texts}
    factual = [(bool(modal), negated) for modal, negated in phrases]
    return [
        ("hit", any(text.lower() in gold for text in texts)),
        ("phrase", (bool(wanted[0]), wanted[1]) in factual),
        ("modal", wanted in phrases),
        ("sentence", _sentence_phrase(verb) in phrases),
    ]


def report(counts: Counter[tuple[str, str, int]]) -> str:
    lines = []
    for name in dict.fromkeys(name for name, _, _ in counts):
        total = counts[name, "verbs", 0]
        lines.append(f"{name} ({total})")
        for measure in MEASURES:
            shares = (f"@{top} {100 * counts[name, measure, top] / total:.1f}" for top in TOPS)
            lines.append(f"  {measure:9} {'  '.join(shares)}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("gold", type=Path)
    parser.add_argument("sentences", type=Path)
    parser.add_argument(
        "--kind", type=Suggestions, choices=list(Suggestions), default=Suggestions.GRAMMAR
    )
    options = parser.parse_args()
    print(report(measure_first(verbs_of(options.gold, options.sentences), options.kind)))


if __name__ == "__main__":
    main()

"""The comparison with PropBank, checked against a plain implementation on generated sentences."""

import random
import re
from fractions import Fraction
from itertools import permutations

import pytest

from schemes.contract.errors import refuse
from schemes.qasrl.propbank import PropBankVerbs, propbank_figures, read_propbank_verbs

LABELS = ["A0", "A1", "A2", "A4", "AM-TMP", "AM-LOC", "AM-MOD", "AM-NEG", "AM-DIS", "R-A0", "C-A1"]
QUESTION_WORDS = ["who", "what", "when", "where", "why", "how"]
CORE_LABELS = {"A0", "A1", "A2", "A4"}
NOT_RECALLED = {"AM-MOD", "AM-NEG", "AM-DIS", "R-A0", "C-A1"}
KINDS = ("all", "core", "adjunct")
SENTENCES = 200


class Generated:
    """A sentence with one verb, its PropBank arguments and its questions."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.length = rng.randint(4, 14)
        self.tokens = [f"w{seed}.{at}" for at in range(self.length)]
        self.verb = rng.randrange(self.length)
        self.arguments = [
            (rng.choice(LABELS), span) for span in _spans(rng, self.length, self.verb)[:4]
        ]
        self.questions = [
            (rng.choice(QUESTION_WORDS), [self._answer(rng) for _ in range(rng.randint(1, 2))])
            for _ in range(rng.randint(0, 3))
        ]

    def _answer(self, rng: random.Random) -> tuple[int, int]:
        """Return an argument, mostly with shifted ends, or a random span."""
        start, end = rng.randrange(self.length), rng.randint(1, self.length)
        if self.arguments and rng.random() < 0.8:
            start, end = rng.choice(self.arguments)[1]
            start, end = start + rng.randint(-1, 1), end + rng.randint(-1, 1)
        start = min(max(start, 0), self.length - 1)
        return start, min(max(end, start + 1), self.length)

    def conll2009(self) -> str:
        """Return the sentence with arguments as flat subtrees below the verb."""
        heads = [0 if at == self.verb else self.verb + 1 for at in range(self.length)]
        labels = ["_"] * self.length
        for label, (start, end) in self.arguments:
            labels[start] = label
            heads[start + 1 : end] = [start + 1] * (end - start - 1)
        lines = []
        for at, token in enumerate(self.tokens):
            sense = ["Y", "go.01"] if at == self.verb else ["_", "_"]
            pos = ["VB", "VB"] if at == self.verb else ["NN", "NN"]
            start = [str(at + 1), token, token, token, *pos, "_", "_", str(heads[at])]
            lines.append("\t".join([*start, str(heads[at]), "X", "X", *sense, labels[at]]))
        return "\n".join(lines) + "\n\n"

    def conll2012(self) -> str:
        """Return the sentence with arguments in brackets."""
        before, after = [""] * self.length, [""] * self.length
        for label, (start, end) in [*self.arguments, ("V", (self.verb, self.verb + 1))]:
            long = re.sub("^(R-|C-)?A", r"\1ARG", label)
            before[start], after[end - 1] = f"({long}", ")"
        lines = []
        for at, token in enumerate(self.tokens):
            pos, *sense = ["VB", "go", "01"] if at == self.verb else ["NN", "-", "-"]
            row = ["d", "0", str(at), token, pos, "*", *sense, "-", "-", "*"]
            lines.append(" ".join([*row, f"{before[at]}*{after[at]}", "-"]))
        return "\n".join(lines) + "\n\n"


def _spans(rng: random.Random, length: int, verb: int) -> list[tuple[int, int]]:
    """Return disjoint spans without the verb, in random order."""
    spans, at = [], 0
    while at < length:
        end = min(length, at + rng.randint(1, 4))
        if not at <= verb < end:
            spans.append((at, end))
        at = end
    rng.shuffle(spans)
    return spans


def plain_figures(sentence: Generated) -> list[dict[str, tuple[float | None, float | None]]]:
    """Return precision and recall by kind for each of the best matchings, by trying every one."""
    roles = {span: label for label, span in sentence.arguments}
    words: dict[tuple[int, int], set[str]] = {}
    for question_word, answers in sentence.questions:
        for span in answers:
            words.setdefault(span, set()).add(
                "core" if question_word in ("who", "what") else "adjunct"
            )
    return [
        {kind: _of_matching(roles, words, pairs, kind) for kind in KINDS}
        for pairs in _best_matchings(roles, list(words))
    ]


def _of_matching(roles, words, pairs, kind) -> tuple[float | None, float | None]:
    recalled = [
        span
        for span, label in roles.items()
        if label not in NOT_RECALLED
        and kind in ("all", "core" if label in CORE_LABELS else "adjunct")
    ]
    recall = sum(span in dict(pairs) for span in recalled) / len(recalled) if recalled else None

    def is_of_kind(span):
        return kind == "all" or kind in words[span]

    correct = sum(is_of_kind(answer) for _, answer in pairs)
    lone = [a for a in words if is_of_kind(a) and not any(_iou(r, a) >= 0.5 for r in roles)]
    wrong = _groups(lone)
    return (correct / (correct + wrong) if correct + wrong else None), recall


def _best_matchings(roles, answers):
    """Return the matchings with the most recalled roles, then the most pairs, then the most IoU.

    Several can be equally good, and they can differ in the kinds of the answers that are matched.
    """
    # None stands for a role without an answer.
    candidates = [*answers, *[None] * len(roles)]
    values = {}
    for chosen in set(permutations(candidates, len(roles))):
        pairs = [(role, a) for role, a in zip(roles, chosen, strict=True) if a is not None]
        if all(_iou(role, answer) >= 0.5 for role, answer in pairs):
            values[tuple(pairs)] = (
                sum(roles[role] not in NOT_RECALLED for role, _ in pairs),
                len(pairs),
                sum(Fraction(_iou(role, answer)).limit_denominator(100) for role, answer in pairs),
            )
    return [pairs for pairs, value in values.items() if value == max(values.values())]


def _iou(first, second):
    a, b = set(range(*first)), set(range(*second))
    return len(a & b) / len(a | b)


def _groups(spans):
    groups = []
    for span in spans:
        near = [group for group in groups if any(_iou(span, other) >= 0.5 for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([span, *[other for group in near for other in group]])
    return len(groups)


@pytest.mark.parametrize("layout", ["conll2009", "conll2012"])
def test_figures_equal_those_of_the_plain_implementation(tmp_path, layout):
    sentences = [Generated(seed) for seed in range(SENTENCES)]
    path = tmp_path / "propbank.conll"
    path.write_text("".join(getattr(sentence, layout)() for sentence in sentences), "utf-8")
    ids = {f"s{at}": sentence.tokens for at, sentence in enumerate(sentences)}
    verbs = read_propbank_verbs(path, ids, on_error=refuse)
    questions = {
        (f"s{at}", sentence.verb): sentence.questions for at, sentence in enumerate(sentences)
    }
    figures = propbank_figures(verbs, questions)
    assert (figures["predicates"], figures["unknown_sentences"]) == (SENTENCES, 0)
    of_each = [_figures_of(key, verbs, questions) for key in questions]
    for sentence, found in zip(sentences, of_each, strict=True):
        assert found in plain_figures(sentence)
    for kind in KINDS:
        for at, name in enumerate(("precision", "recall")):
            values = [found[kind][at] for found in of_each if found[kind][at] is not None]
            assert figures[kind][name] == pytest.approx(sum(values) / len(values)), kind


def _figures_of(key, verbs, questions) -> dict[str, tuple[float | None, float | None]]:
    """Return precision and recall by kind of one sentence."""
    one = PropBankVerbs({key: verbs.predicates[key]}, unknown_sentences=0)
    figures = propbank_figures(one, {key: questions[key]})
    return {kind: (figures[kind]["precision"], figures[kind]["recall"]) for kind in KINDS}

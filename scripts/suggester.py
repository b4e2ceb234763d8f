"""The suggestions of the worker's page in Python, to learn and measure their costs.

static/js/schemes/qasrl/grammar.js must behave identically, and a test compares the two.
Beginnings that no pattern has are completed by the grammar.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from schemes.contract.values import Json
from schemes.qasrl.patterns import ANY, Facts, Pattern, pattern_of, relations_of, role_with
from schemes.qasrl.preposition_cues import USES
from schemes.qasrl.ranking import shared_costs
from schemes.qasrl.reading import finished
from schemes.qasrl.sentence_phrases import SHAPES, TENSES
from schemes.qasrl.verb_phrases import Head, Phrase, phrases_of
from schemes.qasrl.walker import Path, Walker, split

# Added for a preposition whose object was asked for.
_ASKED = 60
# The cost of a question that the grammar completes. Its words are added.
_COMPLETED = 10_000
_MAX_STEPS = 400
# Added for a role that a cheaper suggestion asks for with a verb phrase ("Who wanted to do something?"
# before "Who wanted something?"), so that the first suggestions have different roles.
_SAME_ROLE = 8
# The candidates per suggestion that `_varied` compares.
_CANDIDATES = 3
_TIMES = {f"{tense} {shape}": at for at, (tense, shape) in enumerate(product(TENSES, SHAPES))}
# Keys of the tables, which are JSON.
_NAMES = {True: "True", False: "False"}
# Prepositions that are no particles. Without their object, "Who arrived at?" is no question.
_NO_PARTICLES = """
    against amid amidst among amongst as astride at atop by concerning despite during except
    excluding following for from given including into like minus next of onto per plus regarding
    than till times to toward towards unlike until unto upon versus via with
"""
_NEVER_LAST = frozenset(_NO_PARTICLES.split())
# "What was looked at?" is a question, and "What was covered by?" is none.
_NEVER_LAST_PASSIVE = frozenset(
    ("as", "by", "despite", "during", "except", "given", "since", "than", "till", "until")
)

Tail = tuple[int, Pattern, str]  # cost, pattern, words after the verb


@dataclass(frozen=True, slots=True)
class Suggestion:
    question: str
    cost: int


class Suggester:
    """A source of questions that a good annotator would ask next."""

    def __init__(self, walker: Walker, table: Json, *, costs: Json | None = None) -> None:
        """`costs` are those that all items share. The default is the learned ones."""
        self._walker = walker
        self._table = table
        self._shared = costs or shared_costs()
        self._patterns = [pattern_of(text) for text in self._shared["patterns"]]
        self._all_phrases: dict[Head, list[Phrase]] = {}
        self._known: tuple[Sequence[str], Facts, list[Tail]] | None = None

    def suggest(self, text: str, asked: Sequence[str], *, limit: int = 8) -> list[Suggestion]:
        """Return finished questions that start with the typed text, cheapest first.

        Excludes questions that were already asked. Empty for a text with a "?".
        """
        typed = split(text)
        if typed.mark_at is not None:
            return []
        words = " ".join(word.text for word in typed.words)
        begun = words if typed.is_open or not words else f"{words} "
        facts, tails = self._after(asked)
        costs = self._cheapest(begun, facts, tails, limit)
        if len(costs) < limit:
            for question, cost in self._completed(begun, facts):
                costs.setdefault(question, cost)
                if len(costs) == limit:
                    break
        ordered = sorted(costs.items(), key=lambda entry: entry[1])[:limit]
        return [Suggestion(finished(question), cost) for question, cost in ordered]

    def _after(self, asked: Sequence[str]) -> tuple[Facts, list[Tail]]:
        """Return what follows from the questions asked so far. The last result is stored."""
        if self._known is None or self._known[0] != list(asked):
            facts = Facts()
            for text in asked:
                facts.texts.add(" ".join(word.text for word in split(text).words))
                reading = self._walker.read(text)
                if reading is not None:
                    facts.add(reading)
            self._known = list(asked), facts, self._tails(facts)
        return self._known[1:]

    def _cheapest(
        self, begun: str, facts: Facts, tails: Sequence[Tail], limit: int
    ) -> dict[str, int]:
        """Return the cheapest questions from patterns, with their costs."""
        phrases: dict[Head, list[tuple[int, str]]] = {}
        candidates: dict[str, tuple[int, Pattern]] = {}
        count = _CANDIDATES * limit
        worst = _COMPLETED
        for cost, pattern, tail in tails:
            if cost >= worst:
                break
            head = _head(pattern)
            if head not in phrases:
                phrases[head] = self._phrases(head, begun, facts)
            for more, text in phrases[head]:
                if cost + more >= worst:
                    break
                question = text + tail
                if not question.startswith(begun) or question in facts.texts or _is_odd(question):
                    continue
                if question not in candidates or cost + more < candidates[question][0]:
                    candidates[question] = cost + more, pattern
                if len(candidates) >= count:
                    worst = sorted(known for known, _ in candidates.values())[count - 1]
        return _varied(candidates, limit)

    def _tails(self, facts: Facts) -> list[Tail]:
        """Return the ends of questions, after the verb, cheapest first."""
        tails = []
        for own, pattern in zip(self._table["patterns"], self._patterns, strict=True):
            relations = relations_of(pattern, facts)
            cost = own + sum(self._shared["relations"][name] for name in relations)
            for more, phrase in self._prepositions(pattern, facts):
                words = (pattern.obj, pattern.prep.replace(ANY, phrase), pattern.obj2)
                tail = "".join(f" {word}" for word in words if word)
                tails.append((cost + more, pattern, tail))
        tails.sort(key=lambda tail: tail[0])
        # Costs start at zero, so that a search can stop at the first one that is too high.
        return [(cost - tails[0][0], pattern, tail) for cost, pattern, tail in tails]

    def _prepositions(self, pattern: Pattern, facts: Facts) -> Iterator[tuple[int, str]]:
        if ANY not in pattern.prep:
            yield 0, ""
            return
        use = USES.index(pattern.use)
        for phrase, costs in self._table["prepositions"].items():
            if _fits(pattern, phrase):
                cost = costs[use]
                if phrase in facts.prepositions:
                    cost += self._shared["used"][pattern.use]
                if pattern.role == "prep" and role_with(pattern, phrase) in facts.roles:
                    cost += _ASKED
                yield cost, phrase

    def _phrases(self, head: Head, begun: str, facts: Facts) -> list[tuple[int, str]]:
        """Return the costs and texts of the verb phrases that agree with the typed text."""
        if head not in self._all_phrases:
            self._all_phrases[head] = phrases_of(head, self._walker.spellings[0])
        phrases = [
            (self._phrase_cost(phrase, head, facts), phrase.text)
            for phrase in self._all_phrases[head]
            if phrase.text.startswith(begun[: len(phrase.text)])
        ]
        return sorted(phrases, key=lambda entry: entry[0])

    def _phrase_cost(self, phrase: Phrase, head: Head, facts: Facts) -> int:
        changes, table = self._shared["changes"], self._table
        cost = 0
        if phrase.time not in facts.times:
            cost += table["time"][int(head[2])][_TIMES[phrase.time]]
            cost += changes["time"] if facts.count else 0
        if phrase.is_negated not in facts.polarities:
            cost += table["negated"][_NAMES[phrase.is_negated]]
            cost += changes["polarity"] if facts.count else 0
        if phrase.is_negated:
            cost += self._shared["not"][_NAMES[phrase.has_separate_not]]
        return cost

    def _completed(self, begun: str, facts: Facts) -> Iterator[tuple[str, int]]:
        """Yield the shortest questions that the grammar allows, in its order."""
        words = begun.split(" ")
        last = words.pop()
        paths = self._walker.start()
        for word in words:
            paths = self._walker.step(paths, word)
        seen: set[str] = set()
        steps = 0
        while paths and steps < _MAX_STEPS:
            longer: list[Path] = []
            for path in paths:
                if not last and self._walker.ends([path]):
                    question = " ".join(word for _, _, word in path.steps)
                    if question not in facts.texts | seen and not _is_odd(question):
                        seen.add(question)
                        yield question, _COMPLETED + len(path.steps)
                for following in self._walker.moves(path):
                    steps += 1
                    if following.steps[-1][2].startswith(last):
                        longer.append(following)
            paths, last = longer, ""


def _varied(candidates: dict[str, tuple[int, Pattern]], limit: int) -> dict[str, int]:
    """Return the cheapest questions. A role asked with a verb phrase costs more without one."""
    with_verb_phrase: set[str] = set()
    costs: dict[str, int] = {}
    for question, (cost, pattern) in sorted(candidates.items(), key=lambda entry: entry[1][0]):
        costs[question] = cost
        if pattern.has_verb_phrase:
            with_verb_phrase.add(pattern.role)
        elif pattern.role in with_verb_phrase and not pattern.use.startswith("particle"):
            costs[question] += _SAME_ROLE
    return dict(sorted(costs.items(), key=lambda entry: entry[1])[:limit])


def _head(pattern: Pattern) -> Head:
    return pattern.wh, pattern.subj, pattern.is_passive


def _is_odd(question: str) -> bool:
    """Return True for "do" without something, such as "Who wanted to do" or "When did someone do"."""
    if question.endswith((" do", " doing")):
        return not question.startswith("what ")
    return question.endswith((" do someone", " doing someone"))


def _fits(pattern: Pattern, phrase: str) -> bool:
    """Return True if the preposition gives a grammatical question in the pattern."""
    words = pattern.prep.split(" ")[1:] + pattern.obj2.split(" ")
    is_pair = phrase.endswith(" to")
    if "do" in words:
        return is_pair or phrase == "to"
    if "doing" in words:
        return not is_pair
    if not pattern.use.startswith("particle") or pattern.wh == "where":
        return True
    last = phrase.rsplit(" ", maxsplit=1)[-1]
    lacks_object = last in (_NEVER_LAST_PASSIVE if pattern.is_passive else _NEVER_LAST)
    return not is_pair and not lacks_object

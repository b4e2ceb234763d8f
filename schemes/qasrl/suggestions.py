"""Question suggestions, ranked by the item's table and the questions asked so far.

static/js/schemes/qasrl/grammar.js must behave identically, and a test compares the two.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schemes.base import Json
from schemes.qasrl.ranking import shape_name
from schemes.qasrl.reading import Step, finished
from schemes.qasrl.slots import Slots
from schemes.qasrl.walker import Path, Walker, split

AGENT, PATIENT = "agent", "patient"
_FILLER = {"who": "someone", "what": "something"}


@dataclass(frozen=True, slots=True)
class Clause:
    """The slots of a partial or complete question. Missing ones are ""."""

    wh: str = ""
    aux: str = ""
    subj: str = ""
    chain: tuple[str, ...] = ()
    form: str = ""
    obj: str = ""
    prep: str = ""
    obj2: str = ""

    def after(self, step: Step) -> "Clause":
        slot, word_class, word = step
        if slot == "verb":
            return replace(self, form=word_class)
        if slot == "prefix":
            return replace(self, chain=(*self.chain, word))
        before: str = getattr(self, slot)
        changed: dict[str, Any] = {slot: f"{before} {word}" if before else word}
        return replace(self, **changed)

    @property
    def is_negated(self) -> bool:
        return "not" in self.chain or self.aux.endswith("n't")

    @property
    def is_passive(self) -> bool:
        before = next((word for word in reversed(self.chain) if word != "not"), self.aux)
        return self.form == "pastParticiple" and before in _BE

    @property
    def shape(self) -> str:
        return shape_name(
            perfect=self.aux in _PERFECT or "have" in self.chain,
            progressive=self.form == "presentParticiple" or "being" in self.chain,
            passive=self.is_passive,
        )


@dataclass(slots=True)
class Facts:
    """Facts about the questions asked so far.

    `texts` are in lower case. `roles` are the questioned roles. `fillers` maps participants to
    "someone" or "something".
    """

    texts: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    fillers: dict[str, str] = field(default_factory=dict)
    tenses: set[str] = field(default_factory=set)
    shapes: set[str] = field(default_factory=set)
    prepositions: set[str] = field(default_factory=set)
    # An active question without an object shows that the verb does not require one.
    is_bare: bool = False


def facts_of(asked: Iterable[str], walker: Walker) -> Facts:
    facts = Facts()
    for text in asked:
        facts.texts.add(" ".join(word.text for word in split(text).words))
        reading = walker.read(text)
        if reading is None:
            continue
        slots, role = reading.slots, role_of(reading.slots)
        facts.tenses.add(reading.tense)
        facts.shapes.add(
            shape_name(
                perfect=reading.is_perfect,
                progressive=reading.is_progressive,
                passive=slots.is_passive,
            )
        )
        facts.roles.add(role)
        facts.prepositions.add(slots.prep)
        facts.is_bare |= not slots.is_passive and not slots.obj and role != PATIENT
        subject = PATIENT if slots.is_passive else AGENT
        facts.fillers.setdefault(subject, slots.subj or _FILLER[slots.wh])
        if slots.obj and not slots.is_passive:
            facts.fillers.setdefault(PATIENT, slots.obj)
        elif role == PATIENT and slots.wh in _FILLER:
            facts.fillers.setdefault(PATIENT, _FILLER[slots.wh])
    return facts


def role_of(question: Slots | Clause) -> str:
    """Return the role that a question asks for. Two questions about one role are redundant."""
    if question.wh not in _FILLER:
        return question.wh
    if not question.subj:
        return PATIENT if question.is_passive else AGENT
    if question.prep and not question.obj2:
        by_agent = question.is_passive and question.prep == "by"
        return AGENT if by_agent else f"prep {question.prep}"
    if question.obj2 in ("do", "doing"):
        return "do"
    if question.obj:
        return "obj2"
    return "obj" if question.is_passive else PATIENT


# Limits on the cost of the rest of a question. The next one applies if results are too few.
_BUDGETS = (20, 35, 50, 70, 100, 140)
_MOST_STEPS = 6000
_TAKEN = 60


@dataclass(frozen=True, slots=True)
class Suggestion:
    question: str
    cost: int


class Suggester:
    """A source of questions that a good annotator would ask next."""

    def __init__(self, walker: Walker, table: Json) -> None:
        self._walker = walker
        self._table = table

    def suggest(self, text: str, asked: Sequence[str], *, limit: int = 8) -> list[Suggestion]:
        """Return finished questions that start with the typed text, cheapest first.

        Excludes questions that were already asked. Empty for a text with a "?".
        """
        typed = split(text)
        if typed.mark_at is not None:
            return []
        words = [word.text for word in typed.words]
        begun = words.pop() if typed.is_open else ""
        paths = self._walker.start()
        for word in words:
            paths = self._walker.step(paths, word)
        facts = facts_of(asked, self._walker)
        costs: dict[str, int] = {}
        for budget in _BUDGETS:
            costs = _Search(self._walker, self._table, facts, budget).run(paths, begun)
            if len(costs) >= limit:
                break
        ordered = sorted(costs.items(), key=lambda entry: entry[1])[:limit]
        return [Suggestion(finished(question), cost) for question, cost in ordered]


class _Search:
    """A depth-first search for all completions of a question within a budget.

    Costs cover the added words and repetitions in the whole question.
    """

    def __init__(self, walker: Walker, table: Json, facts: Facts, budget: int) -> None:
        self._walker = walker
        self._costs = _Costs(table, facts)
        self._facts = facts
        self._budget = budget
        self._steps_left = _MOST_STEPS
        self._found: dict[str, int] = {}

    def run(self, paths: Sequence[Path], begun: str) -> dict[str, int]:
        """Return the cost of each question, without its mark, in the order of discovery."""
        for path in paths:
            clause = Clause()
            for step in path.steps:
                clause = clause.after(step)
            self._go_on(path, clause, 0, begun)
        return self._found

    def _go_on(self, path: Path, clause: Clause, spent: int, begun: str) -> None:
        if not begun and self._walker.ends([path]):
            self._finish(path, clause, spent)
        for following in self._walker.moves(path):
            step = following.steps[-1]
            if self._steps_left <= 0 or not step[2].startswith(begun):
                continue
            self._steps_left -= 1
            longer = clause.after(step)
            cost = spent + self._costs.of_step(clause, longer, step)
            if cost <= self._budget:
                self._go_on(following, longer, cost, "")

    def _finish(self, path: Path, clause: Clause, spent: int) -> None:
        cost = spent + self._costs.of_end(clause)
        question = " ".join(word for _, _, word in path.steps)
        if cost > self._budget or question in self._facts.texts:
            return
        self._found[question] = min(cost, self._found.get(question, cost))


class _Costs:
    """The costs of steps and of ending a question."""

    def __init__(self, table: Json, facts: Facts) -> None:
        self._table = table
        self._facts = facts
        self._of_slot: dict[str, Callable[[Clause, Clause, str], int]] = {
            "wh": self._wh,
            "aux": self._aux,
            "subj": self._subj,
            "prefix": self._prefix,
            "verb": self._verb,
            "obj": self._obj,
            "prep": self._prep,
            "obj2": self._obj2,
        }

    def of_step(self, before: Clause, after: Clause, step: Step) -> int:
        slot, _, word = step
        return self._of_slot[slot](before, after, word)

    def of_end(self, clause: Clause) -> int:
        if clause.wh not in _FILLER or not clause.subj:
            return 0 if clause.obj or clause.is_passive else self._away(clause)
        role = role_of(clause)
        asked = self._table["object"]["asked"] if role == PATIENT else _RARE_ROLES.get(role, 0)
        taken = _TAKEN if role in self._facts.roles else 0
        return int(asked) + _OTHER_WH[clause.wh] + taken

    def _away(self, clause: Clause) -> int:
        """Return the cost of omitting the object of an active verb."""
        if PATIENT in self._facts.fillers:
            return 16
        costs = self._table["object"]
        nothing = 0 if clause.prep or clause.obj2 else int(costs["nothing"])
        return nothing + (0 if self._facts.is_bare else int(costs["away"]))

    def _wh(self, before: Clause, after: Clause, word: str) -> int:
        return int(self._table["wh"].get(word, 24))

    def _aux(self, before: Clause, after: Clause, word: str) -> int:
        is_taken = before.wh in self._facts.roles and before.wh not in _FILLER
        return self._tense(_TENSE_OF.get(word, word)) + (_TAKEN if is_taken else 0)

    def _tense(self, tense: str) -> int:
        return 0 if tense in self._facts.tenses else int(self._table["tense"][tense])

    def _subj(self, before: Clause, after: Clause, word: str) -> int:
        return 60 if word == "it" else 0

    def _prefix(self, before: Clause, after: Clause, word: str) -> int:
        return 6 if word == "not" else 0

    def _verb(self, before: Clause, after: Clause, word: str) -> int:
        cost = self._shape(after.shape) + self._subject(after)
        if not after.aux:
            cost += self._tense("present" if after.form == "presentSingular3rd" else "past")
        cost += int(self._table["negated" if after.is_negated else "plain"])
        is_stressed = after.aux in ("does", "did") and not after.subj and not after.is_negated
        return cost + (45 if is_stressed else 0)

    def _shape(self, shape: str) -> int:
        return 0 if shape in self._facts.shapes else int(self._table["shape"].get(shape, 45))

    def _subject(self, clause: Clause) -> int:
        """Return the cost of the subject's word, or of the question word in its place."""
        role = PATIENT if clause.is_passive else AGENT
        filler = clause.subj or _FILLER[clause.wh]
        known = self._facts.fillers.get(role, "")
        usual = _USUAL_FILLERS[role].get(filler, 0)
        cost = (0 if known == filler else 18) if known else usual
        taken = _TAKEN if not clause.subj and role in self._facts.roles else 0
        return cost + taken

    def _obj(self, before: Clause, after: Clause, word: str) -> int:
        if before.is_passive:
            return 26
        known = self._facts.fillers.get(PATIENT, "")
        if known:
            return 1 if known == word else 20
        bare = 14 if self._facts.is_bare else 0
        named = int(self._table["object"]["named"])
        return named + bare + (1 if word == "something" else 14)

    def _prep(self, before: Clause, after: Clause, word: str) -> int:
        if word in ("do", "doing"):
            return self._verb_phrase(before, 40)
        cost = self._preposition(after.prep)
        if before.prep:
            return max(0, cost - self._preposition(before.prep))
        return min(24, cost) if word == "by" and before.is_passive else cost

    def _preposition(self, phrase: str) -> int:
        cost = int(self._table["preposition"].get(phrase, 50))
        return min(8, cost) if phrase in self._facts.prepositions else cost

    def _verb_phrase(self, clause: Clause, otherwise: int) -> int:
        is_infinitive = clause.prep == "to" or clause.prep.endswith(" to")
        return int(self._table["to do"]) if is_infinitive else otherwise

    def _obj2(self, before: Clause, after: Clause, word: str) -> int:
        if word == "somewhere":
            return 45 if before.wh == "where" else 24
        if word in ("do", "doing"):
            return self._verb_phrase(before, 45)
        if before.prep:
            return 5 if word == "something" else 12
        return 28


_TENSE_OF = {
    **dict.fromkeys(("is", "isn't", "does", "doesn't", "has", "hasn't"), "present"),
    **dict.fromkeys(("was", "wasn't", "did", "didn't", "had", "hadn't"), "past"),
    "can't": "can",
    "won't": "will",
    "wouldn't": "would",
    "shouldn't": "should",
}
_PERFECT = ("has", "had", "hasn't", "hadn't")
_BE = ("is", "was", "isn't", "wasn't", "be", "being", "been")
# Costs of subjects, including questioned ones, by role.
_USUAL_FILLERS = {
    AGENT: {"someone": 3, "something": 13},
    PATIENT: {"someone": 9, "something": 5},
}
_OTHER_WH = {"what": 4, "who": 20}
# Added to the cost of their words.
_RARE_ROLES = {"obj2": 30, "obj": 24}

"""Simulated consolidators and validators, who see the annotators' boxes and the caption only.

They never read the reference, nor the picture. What they go by is visible without it: which boxes
annotators agree on, and whether the number of boxes fits the phrase's words ("three dogs"). A box that
only one annotator drew is doubtful if there are more boxes than the words call for. Wrong boxes that fit
pass, at any skill.
"""

import random
from collections.abc import Sequence
from typing import Any

from metrics.component_matching import match_components
from metrics.regions import Box, box_area
from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.grounding.content import phrases_by_id
from schemes.grounding.error_rates import RATES
from schemes.simulated_person import Person

# A person who counts that few individuals expects a box for each.
_COUNTABLE = 5


def consolidate(sources: Sequence[Json], context: ItemContext, person: Person, seed: str) -> Json:
    """Return a consolidation of the groundings.

    A box that annotators agree on is the mean of theirs. A person of skill 1 expects exact groundings,
    and keeps all boxes.
    """
    judge = _Judge(person, random.Random(seed))  # noqa: S311
    by_source = [phrases_by_id(source) for source in sources]
    targets = {phrase["id"]: phrase for phrase in context.target.get("phrases", ())}
    phrases = []
    for id in dict.fromkeys(id for source in by_source for id in source):
        answers = [source[id] for source in by_source if id in source]
        state = judge.state_of(answers, targets.get(id, {}))
        boxes = [answer["boxes"] for answer in answers if answer["state"] == state]
        merged = judge.merged(boxes, _expected(targets.get(id, {}), state))
        if state == "group":
            merged = merged[:1]
        phrases.append({"id": id, "state": state, "boxes": merged})
    return {"phrases": phrases}


def _expected(phrase: Json, state: str) -> int | None:
    """Return the number of boxes that the words of a phrase call for, or None if they leave it open."""
    if state == "group":
        return 1
    number: Any = phrase.get("cardinality")
    return number or (None if phrase.get("plural", True) else 1)


def _is_doubtful_state(state: str, phrase: Json) -> bool:
    """Return True for a single box for few individuals."""
    number = _expected(phrase, "boxes")
    return state == "group" and number is not None and number <= _COUNTABLE


class _Judge:
    def __init__(self, person: Person, rng: random.Random) -> None:
        self._person = person
        self._rng = rng

    def accepts(self, *, is_doubtful: bool) -> bool:
        if self._person.is_exact():
            return True
        if is_doubtful:
            return self._person.errs(RATES.kept_doubtful, self._rng)
        return not self._person.errs(RATES.dropped_plausible, self._rng)

    def state_of(self, answers: Sequence[Json], phrase: Json) -> str:
        """Return the state that most chose, or else one with boxes that fits the phrase."""
        states = [str(answer["state"]) for answer in answers]
        if len(set(states)) > 1 and self._person.errs(RATES.chose_worse, self._rng):
            return self._rng.choice(states)
        return max(
            states,
            key=lambda state: (
                states.count(state),
                not _is_doubtful_state(state, phrase),
                state in ("boxes", "group"),
            ),
        )

    def merged(self, sources: Sequence[Sequence[Box]], expected: int | None) -> list[list[int]]:
        """Return the boxes of all, at least one if there are any."""
        first, *others = [[[int(at) for at in box] for box in boxes] for boxes in sources]
        groups = [[box] for box in first]
        for boxes in others:
            match = match_components([group[0] for group in groups], boxes)
            for known, at in match.pairs:
                groups[known].append(boxes[at])
            groups += [[boxes[at]] for at in match.extra]
        count = len(groups)
        merged = []
        for group in sorted(groups, key=len):
            is_alone = len(sources) > 1 and len(group) == 1
            is_doubtful = is_alone and expected is not None and count > expected
            if len(group) > 1 or count == 1 or self.accepts(is_doubtful=is_doubtful):
                merged.append([sum(side) // len(group) for side in zip(*group, strict=True)])
            else:
                count -= 1
        return [list(box) for box in sorted(set(map(tuple, merged)))]


def validate(sources: Sequence[Json], context: ItemContext, person: Person, seed: str) -> Json:
    """Return verdicts about the first source. A person of skill 1 accepts everything.

    Of too many boxes for the words of the phrase, the smallest are doubtful. Of too few, the person
    reports a missing box, and draws none, because the picture is not modelled.
    """
    judge = _Judge(person, random.Random(seed))  # noqa: S311
    targets = {phrase["id"]: phrase for phrase in context.target.get("phrases", ())}
    phrases = []
    for phrase in sources[0]["phrases"]:
        target, boxes = targets.get(phrase["id"], {}), phrase["boxes"]
        expected = _expected(target, phrase["state"])
        is_counted = phrase["state"] == "boxes" and expected is not None
        surplus = len(boxes) - expected if is_counted and expected is not None else 0
        doubtful = sorted(boxes, key=box_area)[: max(0, surplus)]
        is_doubtful_state = _is_doubtful_state(phrase["state"], target)
        phrases.append(
            {
                "id": phrase["id"],
                "valid": judge.accepts(is_doubtful=is_doubtful_state),
                "missing": not judge.accepts(is_doubtful=surplus < 0),
                "boxes": [judge.accepts(is_doubtful=box in doubtful) for box in boxes],
            }
        )
    return {"phrases": phrases}

"""The verb phrases of questions that have the modality and polarity of the verb in its sentence."""

from schemes.contract.values import Json
from schemes.qasrl.reading import MODALS
from schemes.qasrl.verb_context import Cue

TENSES = ("past", "present", "can", "will", "might", "would", "should")
SHAPES = ("", "progressive", "perfect", "perfect progressive")
# More than the cost of most patterns, so that questions with the sentence's own phrase come first.
OTHER_MODALITY = 40
OTHER_POLARITY = 45


def own_tenses(cue: Cue) -> dict[str, int]:
    """Return the tenses that agree with the sentence, each with a cost.

    An infinitive leaves open if the event takes place ("wanted to leave", "managed to leave"), so it
    has a modal beside the tenses.
    """
    if cue.tense == "to":
        return {"past": 0, "might": 0, "present": 6, "will": 6, "would": 12, "should": 12}
    if cue.tense == "":
        return {"past": 0, "present": 4, "might": 12}
    return {cue.tense: 0}


def put_own_phrase_first(table: Json, cue: Cue) -> None:
    """Make the sentence's modality and polarity the cheapest of an item's costs.

    An infinitive's first two are an assertion and a possibility.
    """
    for column in table["time"]:
        _put_modality_first(column, cue)
    if cue.is_negated:
        table["negated"] = {"True": 0, "False": OTHER_POLARITY}


def _put_modality_first(column: list[int], cue: Cue) -> None:
    cheapest = {
        tense: min(column[at * len(SHAPES) : (at + 1) * len(SHAPES)])
        for at, tense in enumerate(TENSES)
    }
    if cue.tense in MODALS:
        for at, _ in enumerate(column):
            if TENSES[at // len(SHAPES)] != cue.tense:
                column[at] = max(column[at], OTHER_MODALITY + cheapest[cue.tense])
    elif cue.tense == "to":
        start = TENSES.index("might") * len(SHAPES)
        less = max(0, cheapest["might"] - min(cheapest.values()))
        for at in range(start, start + len(SHAPES)):
            column[at] -= less

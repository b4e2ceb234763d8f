"""Lexical units that annotators used and the lexicon lacks: a lemma and the frame chosen for it."""

from collections.abc import Iterable, Mapping

from schemes.contract.resources import ResourceProposals
from schemes.contract.values import Json, Noun
from schemes.frames.lexicon.search import units_of
from schemes.frames.lexicon.value import MAX_NAME

Unit = tuple[str, ...]


class UnitProposals(ResourceProposals):
    """Lexical units of verbs. A unit that is accepted becomes an extra unit."""

    noun = Noun("lexical unit", "lexical units")
    parts = ("Lemma", "Frame")
    fields = ("lemma", "frame")

    def missing(self, value: Json, used: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], Unit]:
        known = {
            (lemma.lower(), name)
            for name, frame in value["frames"].items()
            for lemma in units_of(frame, ".v")
        }
        known |= {(lemma.lower(), frame) for lemma, frame, _ in value["extra_units"]}
        units = {(lemma, frame): (_with_blanks(lemma), frame) for lemma, frame in used}
        return {
            fields: unit
            for fields, unit in units.items()
            if unit not in known and unit[1] in value["frames"] and _is_lemma(unit[0])
        }

    def add(self, value: Json, entries: Mapping[Unit, int]) -> Json:
        """Return the lexicon with extra units, whose scores are their numbers of annotations."""
        scored = [[*unit, float(count)] for unit, count in entries.items()]
        accepted = [*value.get("from_annotations", ()), *([*unit] for unit in entries)]
        return {
            **value,
            "extra_units": [*value["extra_units"], *scored],
            "from_annotations": accepted,
        }


def without_accepted(value: Json) -> Json:
    """Return the lexicon without the units that were accepted from annotations."""
    accepted = {(lemma, frame) for lemma, frame in value.get("from_annotations", ())}
    units = [row for row in value["extra_units"] if (row[0], row[1]) not in accepted]
    return {**value, "extra_units": units}


def _with_blanks(lemma: str) -> str:
    return " ".join(lemma.replace("_", " ").lower().split())


def _is_lemma(lemma: str) -> bool:
    return 0 < len(lemma) <= MAX_NAME and lemma.isprintable()

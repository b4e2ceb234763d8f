"""Consolidation: the answers of several annotators become one annotation."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.judging import JudgedUnit, Merging, Share, Trace
from schemes.contract.values import Json
from schemes.custom.content import parse_answers
from schemes.custom.form import ANSWERS, SKIPPED, Form, Unit
from schemes.custom.kinds.base import Kind, Part

_UNIT_STATES = ("kept", "edited")


class CustomMerging(Merging):
    """Merging of answers. A consolidation has the form of an annotation."""

    # Stored with every figure. Changed definitions get a new name.
    rule = "custom.trace.v1"
    summary = (
        ("parts", "answers"),
        ("parts_edited", "answers that differ from all annotators'"),
        ("parts_new", "answers that no annotator gave"),
    )
    outcomes = (
        ("parts", "answers"),
        ("kept", "kept"),
        ("edited", "edited"),
        ("dropped", "dropped"),
    )
    shares = (Share("parts_survived", "answers survived", _UNIT_STATES, "parts"),)

    def __init__(self, form: Form) -> None:
        self._form = form

    def lay_out(self, sources: Sequence[Json], context: ItemContext) -> Json:
        """Align the parts of the sources, field by field, those of all sources first.

        `{"fields": [{"key", "parts": [{"value", "sources": [position, ...], "agreed": bool}]}],
        "agreed": content}`. A value is a part without references: relations have their spans, and
        other fields their whole value. `agreed` has the parts of all sources, to start from. It may
        lack required answers.
        """
        by_source = [self._form.units(source) for source in sources]
        fields = []
        agreed: list[Unit] = []
        for kind in self._form.kinds:
            rows = _rows(kind, by_source)
            fields.append({"key": kind.key, "parts": rows})
            agreed += [Unit(kind, 0, row["value"]) for row in rows if row["agreed"]]
        return {"fields": fields, "agreed": self._form.content_of(agreed)}

    def parse(self, content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
        return parse_answers(self._form, content, context, is_complete=True)

    def gold_of(self, consolidation: Json, sources: Sequence[Json]) -> tuple[Json, list[Json]]:
        origins = self._origins(consolidation, sources)
        states = [{"source": row["source"], "state": row["state"]} for row in origins]
        return consolidation, states

    def trace(self, consolidation: Json, sources: Sequence[Json]) -> Trace:
        provenance = self._origins(consolidation, sources)
        result = self._form.units(consolidation)
        outcomes: list[Mapping[str, int]] = []
        for source in sources:
            states = Counter(_outcome(unit, result)[0] for unit in self._form.units(source))
            outcomes.append(
                {
                    "parts": states.total(),
                    "kept": states["kept"],
                    "edited": states["edited"],
                    "dropped": states["invalid"],
                }
            )
        states = Counter(origin["state"] for origin in provenance)
        summary = {
            "parts": len(provenance),
            "parts_edited": states["edited"],
            "parts_new": states["new"],
        }
        return Trace(provenance=provenance, outcomes=outcomes, summary=summary)

    def judged(
        self, consolidation: Json | None, sources: Sequence[Json], context: ItemContext
    ) -> list[JudgedUnit]:
        result = None if consolidation is None else self._form.units(consolidation)
        judged = []
        for at, source in enumerate(sources):
            for number, unit in enumerate(self._form.units(source)):
                state, into = ("", None) if result is None else _outcome(unit, result)
                judged.append(
                    JudgedUnit(
                        source=at,
                        unit=number,
                        label=unit.kind.field.label,
                        values=_values(unit, context),
                        state=state,
                        into="; ".join(_values(into, context)) if into else "",
                    )
                )
        return judged

    def as_source(self, content: Json) -> Json:
        skipped = {SKIPPED: content[SKIPPED]} if content.get(SKIPPED) else {}
        return {**skipped, ANSWERS: content.get(ANSWERS, {})}

    def _origins(self, consolidation: Json, sources: Sequence[Json]) -> list[Json]:
        """Return the origin of each part: an equal part of a source, else a related one."""
        by_source = [self._form.units(source) for source in sources]
        return [_origin(unit, by_source) for unit in self._form.units(consolidation)]


def _origin(unit: Unit, by_source: Sequence[Sequence[Unit]]) -> Json:
    related: Json | None = None
    for source, units in enumerate(by_source):
        for number, own in enumerate(units):
            if own.kind is not unit.kind:
                continue
            if own.part == unit.part:
                return {"source": source, "unit": number, "state": "kept"}
            if related is None and unit.kind.is_related(own.part, unit.part):
                related = {"source": source, "unit": number, "state": "edited"}
    return related or {"source": None, "unit": None, "state": "new"}


def _outcome(unit: Unit, result: Sequence[Unit]) -> tuple[str, Unit | None]:
    """Return what became of a part of a source, and the part that replaces it."""
    own = [other for other in result if other.kind is unit.kind]
    if any(other.part == unit.part for other in own):
        return "kept", None
    related = (other for other in own if unit.kind.is_related(unit.part, other.part))
    replacement = next(related, None)
    return ("edited", replacement) if replacement else ("invalid", None)


def _rows(kind: Kind[Any], by_source: Sequence[Sequence[Unit]]) -> list[Json]:
    """Return the distinct parts of a field with their sources, those of all sources first."""
    parts: list[Part] = []
    holders: list[list[int]] = []
    for source, units in enumerate(by_source):
        for unit in units:
            if unit.kind is not kind:
                continue
            if unit.part not in parts:
                parts.append(unit.part)
                holders.append([])
            holders[parts.index(unit.part)].append(source)
    everyone = len(by_source)
    rows = [
        {"value": part, "sources": of, "agreed": len(of) == everyone > 0}
        for part, of in zip(parts, holders, strict=True)
    ]
    return sorted(rows, key=lambda row: not row["agreed"])


def _values(unit: Unit, context: ItemContext) -> Sequence[str]:
    return unit.kind.shown(unit.part, context).values

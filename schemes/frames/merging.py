"""Consolidation: one record made of several annotators' records.

The module is the part `merging` of the scheme.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from schemes.contract.items import ItemContext
from schemes.contract.judging import JudgedUnit, Share, Trace, without_order
from schemes.contract.values import Json
from schemes.frames.comparison import align
from schemes.frames.content import parse_consolidation

# Stored with every figure. Changed definitions get a new name.
rule = "frames.trace.v1"
FIELDS = ("head", "filler", "element", "role")

summary: Sequence[tuple[str, str]] = (
    ("arguments", "arguments"),
    ("arguments_edited", "arguments with another head, element or role"),
    ("arguments_new", "new arguments"),
)
outcomes: Sequence[tuple[str, str]] = (
    ("frame_kept", "frame kept"),
    ("arguments", "arguments"),
    ("kept", "kept"),
    ("edited", "edited"),
    ("dropped", "dropped"),
)
shares: Sequence[Share] = (
    Share("arguments_survived", "arguments survived", ("kept", "edited"), "arguments"),
)
parse = parse_consolidation
comparable = without_order
union = None


def lay_out(sources: Sequence[Json], context: ItemContext) -> Json:
    """Return `{"rows": [[index or null per source], ...]}`, arguments aligned by their heads."""
    rows: list[list[int | None]] = []
    for at, source in enumerate(sources):
        arguments = source.get("arguments", [])
        heads = [_head_of_row(row, sources) for row in rows]
        placed = {there: here for here, there in align(heads, arguments)}
        rows = [[*row, None] for row in rows]
        for there in range(len(arguments)):
            if there in placed:
                rows[placed[there]][at] = there
            else:
                rows.append([None] * at + [there])
    rows.sort(key=lambda row: _head_of_row(row, sources)["head"])
    return {"rows": rows}


def _head_of_row(row: Sequence[int | None], sources: Sequence[Json]) -> Json:
    """Return the row's first argument."""
    return next(
        argument
        for at, unit in enumerate(row)
        if unit is not None
        for argument in [sources[at]["arguments"][unit]]
    )


def as_source(content: Json) -> Json:
    """Return a record with the same fields for every origin."""
    arguments = [
        {name: argument.get(name, "") for name in FIELDS} for argument in content["arguments"]
    ]
    return {
        "skip": content.get("skip", ""),
        "verb": content["verb"],
        "lemma": content["lemma"],
        "frame": content["frame"],
        "arguments": arguments,
        "confidence": None,
    }


def keep_all(source: Json) -> Json:
    """Return a consolidation that keeps every argument of the only source."""
    arguments = [
        {**argument, "source": {"submission": 0, "unit": at}}
        for at, argument in enumerate(source["arguments"])
    ]
    return {**source, "arguments": arguments}


def gold_of(consolidation: Json, sources: Sequence[Json]) -> tuple[Json, list[Json]]:
    """Return the record and the provenance of its arguments: `{"source", "unit", "state"}`."""
    arguments = [
        {name: argument[name] for name in FIELDS} for argument in consolidation["arguments"]
    ]
    gold = {**consolidation, "arguments": arguments}
    return gold, [_origin(argument, sources) for argument in consolidation["arguments"]]


def trace(consolidation: Json, sources: Sequence[Json]) -> Trace:
    """Return the origin of each argument, and what became of each source's frame and arguments."""
    provenance = [_origin(argument, sources) for argument in consolidation["arguments"]]
    outcomes: list[Mapping[str, int]] = []
    for at, source in enumerate(sources):
        states = Counter(origin["state"] for origin in provenance if origin["source"] == at)
        count = len(source["arguments"])
        outcomes.append(
            {
                "frame_kept": int(source["frame"] == consolidation["frame"]),
                "arguments": count,
                "kept": states["kept"],
                "edited": states["edited"],
                "dropped": count - states["kept"] - states["edited"],
            }
        )
    states = Counter(origin["state"] for origin in provenance)
    summary = {
        "arguments": len(provenance),
        "arguments_edited": states["edited"],
        "arguments_new": states["new"],
    }
    return Trace(provenance=provenance, outcomes=outcomes, summary=summary)


def judged(
    consolidation: Json | None, sources: Sequence[Json], context: ItemContext
) -> list[JudgedUnit]:
    """Return the sources' arguments with their outcomes."""
    kept = {
        (argument["source"]["submission"], argument["source"]["unit"]): argument
        for argument in (consolidation or {}).get("arguments", [])
        if argument["source"]
    }
    return [
        JudgedUnit(
            source=at,
            unit=unit,
            label=label_of(argument),
            values=[context.words_text(argument["head"])],
            **_outcome(kept.get((at, unit)), argument, is_judged=consolidation is not None),
        )
        for at, source in enumerate(sources)
        for unit, argument in enumerate(source["arguments"])
    ]


def label_of(argument: Json) -> str:
    """Return the argument's element and role, for example "Seller (Agent)"."""
    element, role = argument["element"], argument["role"]
    return f"{element} ({role})" if element and role else str(element or role)


def method(generators: int) -> str:
    """Describe consolidation for a data card."""
    return (
        f"{generators} trained workers annotated each record independently: the frame, the semantic "
        "heads of the arguments, their frame elements and generic roles. Another worker, who had "
        "written neither record, merged them into one."
    )


def _origin(argument: Json, sources: Sequence[Json]) -> Json:
    source = argument["source"]
    if source is None:
        return {"source": None, "unit": None, "state": "new"}
    original = sources[source["submission"]]["arguments"][source["unit"]]
    state = "kept" if _is_same(argument, original) else "edited"
    return {"source": source["submission"], "unit": source["unit"], "state": state}


def _outcome(merged: Json | None, original: Json, *, is_judged: bool) -> dict[str, str]:
    if not is_judged:
        return {}
    if merged is None:
        return {"state": "invalid"}
    if _is_same(merged, original):
        return {"state": "kept"}
    into = label_of(merged)
    return {"state": "edited", "into": into if into != label_of(original) else ""}


def _is_same(first: Json, second: Json) -> bool:
    return all(first[name] == second[name] for name in ("head", "element", "role"))

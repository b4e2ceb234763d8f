"""What became of each source when several were merged, and what of the result came from whom."""

from collections import Counter
from collections.abc import Iterable, Sequence

from metrics.spans import Span, overlap
from schemes.base import Fate, Json, Trace

# Stored beside every figure: a change of the definitions gets a new name.
RULE = "qasrl.trace.v1"


def trace(consolidation: Json, sources: Sequence[Json]) -> Trace:
    """Provenance per kept question, and each source's fate.

    A provenance has `source` and `question` (the question's own place, or None), `state` (kept, edited,
    new), `sources` (all who asked it, by themselves or with a question found redundant to it) and
    `answers`: of each answer the `state` and the `sources` that have it. An answer is kept if a source
    marked exactly this span, edited if one marked a span that overlaps it, else new.
    """
    judged = consolidation["questions"]
    kept = [(at, one) for at, one in enumerate(judged) if one["verdict"] == "keep"]
    marked = [_spans(source["questions"]) for source in sources]
    final = _spans(one for _, one in kept)
    return Trace(
        provenance=[_provenance(at, one, judged, sources, marked) for at, one in kept],
        fates=[
            _fate(position, judged, sources, marked[position], final)
            for position in range(len(sources))
        ],
    )


def _spans(questions: Iterable[Json]) -> set[Span]:
    return {(start, end) for one in questions for start, end in one["answers"]}


def _provenance(
    at: int,
    question: Json,
    judged: Sequence[Json],
    sources: Sequence[Json],
    marked: Sequence[set[Span]],
) -> Json:
    repeats = [one for one in judged if one["same_as"] == at]
    asked = {one["source"]["submission"] for one in [question, *repeats] if one["source"]}
    own = question["source"]
    return {
        "source": own["submission"] if own else None,
        "question": own["question"] if own else None,
        "state": state_of(question, sources),
        "sources": sorted(asked),
        "answers": [_answer((start, end), marked) for start, end in question["answers"]],
    }


def state_of(question: Json, sources: Sequence[Json]) -> str:
    """Of a kept question: kept as its source has it, edited, or new."""
    source = question["source"]
    if source is None:
        return "new"
    original = sources[source["submission"]]["questions"][source["question"]]
    same = all(question[name] == original[name] for name in ("question", "answers"))
    return "kept" if same else "edited"


def _answer(span: Span, marked: Sequence[set[Span]]) -> Json:
    exact = [at for at, spans in enumerate(marked) if span in spans]
    if exact:
        return {"state": "kept", "sources": exact}
    near = [at for at, spans in enumerate(marked) if any(overlap(span, one) for one in spans)]
    return {"state": "edited" if near else "new", "sources": near}


def _fate(
    position: int,
    judged: Sequence[Json],
    sources: Sequence[Json],
    marked: set[Span],
    final: set[Span],
) -> Fate:
    own = [one for one in judged if one["source"] and one["source"]["submission"] == position]
    states = Counter(
        state_of(one, sources) if one["verdict"] == "keep" else one["verdict"] for one in own
    )
    # A redundant question whose twin nobody named says nothing that was taken over.
    lost = sum(one["verdict"] == "redundant" and one["same_as"] is None for one in own)
    exact = marked & final
    near = {one for one in marked - final if any(overlap(one, span) for span in final)}
    return Fate(
        questions=len(own),
        kept=states["kept"],
        edited=states["edited"],
        merged=states["redundant"] - lost,
        dropped=states["invalid"] + lost,
        answers=len(marked),
        answers_kept=len(exact),
        answers_edited=len(near),
    )

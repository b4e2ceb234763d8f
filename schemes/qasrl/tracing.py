"""Traces of a merge: each source's outcome and the origin of each part of the result."""

from collections import Counter
from collections.abc import Iterable, Sequence

from metrics.spans import Span, overlap
from schemes.base import Json, SourceOutcome, Trace

# Stored with every figure. Changed definitions get a new name.
RULE = "qasrl.trace.v1"


def trace(consolidation: Json, sources: Sequence[Json]) -> Trace:
    """Return the provenance of each kept question and the outcome of each source.

    A provenance has `source` and `question` (the question's origin, or None), `state` (kept, edited
    or new), `sources` and `answers`. `sources` are all sources that asked it, or asked a question
    that is redundant to it. Each answer has a `state` and `sources`. An answer is kept if a source
    marked exactly this span, edited if a source marked an overlapping span, else new.
    """
    judged = consolidation["questions"]
    final_questions = [
        (at, question) for at, question in enumerate(judged) if question["verdict"] == "keep"
    ]
    marked = [_spans(source["questions"]) for source in sources]
    final = _spans(question for _, question in final_questions)
    return Trace(
        provenance=[
            _provenance(at, question, judged, sources, marked) for at, question in final_questions
        ],
        fates=[
            _fate(position, judged, sources, marked[position], final)
            for position in range(len(sources))
        ],
    )


def _spans(questions: Iterable[Json]) -> set[Span]:
    return {(start, end) for question in questions for start, end in question["answers"]}


def _provenance(
    at: int,
    question: Json,
    judged: Sequence[Json],
    sources: Sequence[Json],
    marked: Sequence[set[Span]],
) -> Json:
    repeats = [other for other in judged if other["same_as"] == at]
    submissions = {same["source"]["submission"] for same in [question, *repeats] if same["source"]}
    own = question["source"]
    return {
        "source": own["submission"] if own else None,
        "question": own["question"] if own else None,
        "state": state_of(question, sources),
        "sources": sorted(submissions),
        "answers": [_answer((start, end), marked) for start, end in question["answers"]],
    }


def state_of(question: Json, sources: Sequence[Json]) -> str:
    """Return the state of a kept question relative to its source: kept, edited or new."""
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
    near = [at for at, spans in enumerate(marked) if any(overlap(span, other) for other in spans)]
    return {"state": "edited" if near else "new", "sources": near}


def _fate(
    position: int,
    judged: Sequence[Json],
    sources: Sequence[Json],
    marked: set[Span],
    final: set[Span],
) -> SourceOutcome:
    own = [
        question
        for question in judged
        if question["source"] and question["source"]["submission"] == position
    ]
    states = Counter(
        state_of(question, sources) if question["verdict"] == "keep" else question["verdict"]
        for question in own
    )
    # Count a redundant question without a counterpart as dropped.
    lost = sum(
        question["verdict"] == "redundant" and question["same_as"] is None for question in own
    )
    exact = marked & final
    near = {span for span in marked - final if any(overlap(span, other) for other in final)}
    return SourceOutcome(
        questions=len(own),
        kept=states["kept"],
        edited=states["edited"],
        merged=states["redundant"] - lost,
        dropped=states["invalid"] + lost,
        answers=len(marked),
        answers_kept=len(exact),
        answers_edited=len(near),
    )

"""Traces of a merge: each source's outcome and the origin of each part of the result."""

from collections import Counter
from collections.abc import Iterable, Sequence

from metrics.spans import Span, overlap
from schemes.contract.items import ItemContext
from schemes.contract.judging import JudgedUnit, Share, Trace
from schemes.contract.values import Json
from schemes.qasrl.context_answers import context_texts

# Stored with every figure. Changed definitions get a new name.
RULE = "qasrl.trace.v1"

SUMMARY = (
    ("questions", "questions"),
    ("questions_new", "new questions"),
    ("answers", "answers"),
    ("answers_edited", "answers with boundaries that no source has"),
    ("answers_new", "new answers"),
)
OUTCOMES = (
    ("questions", "questions"),
    ("kept", "kept"),
    ("edited", "edited"),
    ("merged", "merged"),
    ("dropped", "dropped"),
    ("answers", "answers"),
    ("answers_kept", "answers kept"),
    ("answers_edited", "answers edited"),
    ("result_answers", "answers of the result"),
)
SHARES = (
    Share("questions_survived", "questions survived", ("kept", "edited", "merged"), "questions"),
    Share("answers_survived", "answers survived", ("answers_kept",), "answers"),
    Share("result_share", "share of the result", ("answers_kept",), "result_answers"),
)


def trace(consolidation: Json, sources: Sequence[Json]) -> Trace:
    """Return the provenance of each kept question and the outcome of each source.

    An outcome counts a source's questions that were kept, edited, merged into another question, or
    dropped. `answers_kept` counts its distinct answers that are in the result exactly,
    `answers_edited` those with other boundaries.

    A provenance has `source` and `unit` (the question's origin, or None), `state` (kept, edited
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
    provenance = [
        _provenance(at, question, judged, sources, marked) for at, question in final_questions
    ]
    return Trace(
        provenance=provenance,
        outcomes=[
            _outcome(position, judged, sources, marked[position], final)
            for position in range(len(sources))
        ],
        summary=_summary(provenance),
    )


def method(generators: int) -> str:
    """Describe consolidation for a data card."""
    return (
        f"{generators} trained workers annotated each item independently. Another worker, who had "
        "written neither annotation, merged them into one in which no two answers overlap. The "
        "protocol is that of Roit et al., Controlled Crowdsourcing for High-Quality QA-SRL "
        "Annotation, ACL 2020."
    )


def _summary(provenance: Sequence[Json]) -> dict[str, int]:
    answers = [answer["state"] for question in provenance for answer in question["answers"]]
    return {
        "questions": len(provenance),
        "questions_new": sum(question["state"] == "new" for question in provenance),
        "answers": len(answers),
        "answers_edited": answers.count("edited"),
        "answers_new": answers.count("new"),
    }


def judged(
    consolidation: Json | None, sources: Sequence[Json], context: ItemContext
) -> list[JudgedUnit]:
    """Return the sources' questions with their outcomes."""
    questions = consolidation["questions"] if consolidation else []
    by_source = {
        (question["source"]["submission"], question["source"]["question"]): question
        for question in questions
        if question["source"]
    }
    return [
        JudgedUnit(
            source=at,
            unit=number,
            label=question["question"],
            values=[
                *(context.span_text(start, end) for start, end in question["answers"]),
                *context_texts(question),
            ],
            **_outcome_of(by_source.get((at, number)), questions, sources),
        )
        for at, source in enumerate(sources)
        for number, question in enumerate(source["questions"])
    ]


def _outcome_of(
    judgment: Json | None, questions: Sequence[Json], sources: Sequence[Json]
) -> dict[str, str]:
    if judgment is None:
        return {}
    if judgment["verdict"] == "keep":
        source = judgment["source"]
        original = sources[source["submission"]]["questions"][source["question"]]
        changed = judgment["question"] != original["question"]
        into = judgment["question"] if changed else ""
        return {"state": state_of(judgment, sources), "into": into}
    like = judgment["same_as"]
    into = questions[like]["question"] if isinstance(like, int) else ""
    return {"state": judgment["verdict"], "into": into}


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
        "unit": own["question"] if own else None,
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


def _outcome(
    position: int,
    judged: Sequence[Json],
    sources: Sequence[Json],
    marked: set[Span],
    final: set[Span],
) -> dict[str, int]:
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
    return {
        "questions": len(own),
        "kept": states["kept"],
        "edited": states["edited"],
        "merged": states["redundant"] - lost,
        "dropped": states["invalid"] + lost,
        "answers": len(marked),
        "answers_kept": len(exact),
        "answers_edited": len(near),
        "result_answers": len(final),
    }

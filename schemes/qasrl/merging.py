"""Consolidation: the questions of several annotators become one annotation.

The module is the part `merging` of the scheme.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from metrics.spans import Span, overlap
from schemes.contract.items import ItemContext
from schemes.contract.judging import JudgedUnit, Share, Trace, without_order
from schemes.contract.values import Json
from schemes.qasrl.alignment import align
from schemes.qasrl.content import joint_step, parse_consolidation
from schemes.qasrl.context_answers import context_texts

# Stored with every figure. Changed definitions get a new name.
rule = "qasrl.trace.v1"

summary: Sequence[tuple[str, str]] = (
    ("questions", "questions"),
    ("questions_new", "new questions"),
    ("answers", "answers"),
    ("answers_edited", "answers with boundaries that no source has"),
    ("answers_new", "new answers"),
)
outcomes: Sequence[tuple[str, str]] = (
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
shares: Sequence[Share] = (
    Share("questions_survived", "questions survived", ("kept", "edited", "merged"), "questions"),
    Share("answers_survived", "answers survived", ("answers_kept",), "answers"),
    Share("result_share", "share of the result", ("answers_kept",), "result_answers"),
)
parse = parse_consolidation
comparable = without_order


def lay_out(sources: Sequence[Json], context: ItemContext) -> Json:
    """Return the questions in groups, see `align`."""
    return align(sources)


def gold_of(consolidation: Json, sources: Sequence[Json]) -> tuple[Json, list[Json]]:
    """Return the kept questions as gold, and their provenance.

    Provenance has `{"source": position or None, "state"}` per question. The state is kept, edited
    or new.
    """
    kept = [question for question in consolidation["questions"] if question["verdict"] == "keep"]
    questions = [_role(question) for question in kept]
    gold = {"questions": questions, **_step_of(consolidation)}
    return gold, [_origin(question, sources) for question in kept]


def as_source(content: Json) -> Json:
    """Return a generation, gold or a system's output with the same fields.

    The reason for asking nothing is dropped, because only people give one.
    """
    questions = [_role(question) for question in content["questions"]]
    return {"questions": questions, "no_question": "", **_step_of(content)}


def keep_all(source: Json) -> Json:
    """Return a consolidation that keeps every question of the only source."""
    return {
        "questions": [
            {
                "question": question["question"],
                "answers": question["answers"],
                "source": {"submission": 0, "question": position},
                "verdict": "keep",
                "same_as": None,
                **_implied_of(question),
            }
            for position, question in enumerate(source["questions"])
        ],
        **_step_of(source),
    }


def union(sources: Sequence[Json]) -> Json:
    """Return the questions of all sources, equal texts once with all their answers.

    A noun is verbal if any source says so.
    """
    questions: dict[str, Json] = {}
    for question in [question for source in sources for question in source["questions"]]:
        known = questions.setdefault(question["question"].casefold(), {**question, "answers": []})
        known["answers"] = sorted({*map(tuple, known["answers"]), *map(tuple, question["answers"])})
    return {"questions": list(questions.values()), **joint_step(sources)}


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


def _role(question: Json) -> Json:
    """Return the fields of a question that gold has."""
    names = ("question", "answers", "slots")
    kept = {"context_answers"} & question.keys()
    return {
        **{name: question.get(name) for name in names},
        **_implied_of(question),
        **{name: question[name] for name in kept},
    }


def _implied_of(question: Json) -> Json:
    return {"implied": question["implied"]} if "implied" in question else {}


def _step_of(content: Json) -> Json:
    """Return the content's `is_verbal` as a dictionary, empty for verbs."""
    return {"is_verbal": content["is_verbal"]} if "is_verbal" in content else {}


def _origin(question: Json, sources: Sequence[Json]) -> Json:
    position = question["source"] and question["source"]["submission"]
    return {"source": position, "state": state_of(question, sources)}

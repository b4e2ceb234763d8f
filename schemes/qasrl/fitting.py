"""Gold of a file fitted to a stored sentence: other tokens, and answers given as text."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.records import Fit, GoldRecord, PositionMap
from schemes.contract.values import Json, Tokens
from schemes.stated import spans_of


def move_gold(record: GoldRecord, positions: PositionMap) -> GoldRecord:
    """Return the record with the positions of another tokenization. Raise ContentError."""
    target = record.item.target
    at = positions.position(target["verb_idx"], "verb_idx")
    moved = {**target, "verb_idx": at}
    if "tokens" in target:
        moved["tokens"] = [positions.position(token, "tokens") for token in target["tokens"]]
    item = replace(record.item, local_key=str(at), target=moved)
    questions = [
        {**question, "answers": _moved(question["answers"], positions, f"questions[{number}]")}
        for number, question in enumerate(record.content["questions"])
    ]
    provenance = [_moved_rows(ids, positions) for ids in record.provenance]
    content = {**record.content, "questions": questions}
    return replace(record, item=item, content=content, provenance=provenance)


def _moved(answers: Sequence[Any], positions: PositionMap, path: str) -> list[Any]:
    """Return the answers with moved spans. Answers given as text stay."""
    return [
        answer
        if isinstance(answer, str)
        else list(positions.span(answer[0], answer[1], f"{path}.answers"))
        for answer in answers
    ]


def _moved_rows(ids: Json, positions: PositionMap) -> Json:
    if "rows" not in ids:
        return ids
    rows = [{**row, "answers": _moved(row["answers"], positions, "rows")} for row in ids["rows"]]
    return {**ids, "rows": rows}


def fit_gold(record: GoldRecord, context: ItemContext) -> Fit:
    """Return the record with spans for answers given as text. Raise ContentError."""
    return Fit(locate_answers(record, context.tokens))


def locate_answers(record: GoldRecord, tokens: Tokens) -> GoldRecord:
    """Return the record with spans for answers given as text. Raise ContentError."""
    answers = (answer for question in record.content["questions"] for answer in question["answers"])
    if not any(isinstance(answer, str) for answer in answers):
        return record
    questions = [
        {
            **question,
            "answers": [_located(answer, tokens, number) for answer in question["answers"]],
        }
        for number, question in enumerate(record.content["questions"])
    ]
    return replace(record, content={**record.content, "questions": questions})


def _located(answer: Any, tokens: Tokens, number: int) -> Any:
    if not isinstance(answer, str):
        return answer
    spans = spans_of(answer, tokens)
    if len(spans) != 1:
        count = "isn't in the sentence" if not spans else f"is {len(spans)} times in the sentence"
        raise ContentError(f"questions[{number}].answers", f"“{answer[:60]}” {count}.")
    return list(spans[0])

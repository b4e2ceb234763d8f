"""Gold as lines that a person can correct in a text field: `question => answer | answer`.

An answer is words of the sentence; where they stand in it more than once, `[start:end]` after them
says which are meant.
"""

import re
from collections.abc import Iterator

from schemes.base import ContentError, Json, Tokens

ARROW, BAR = "=>", "|"
_PLACE = re.compile(r"(.*?)\s*\[(\d{1,6}):(\d{1,6})\]")


def write_lines(content: Json, *, tokens: Tokens) -> str:
    """A line per question; `read_lines` gives the same content back, slots aside."""
    lines = []
    for question in content["questions"]:
        answers = f" {BAR} ".join(
            _written(start, end, tokens) for start, end in question["answers"]
        )
        lines.append(f"{question['question']} {ARROW} {answers}")
    return "\n".join(lines)


def read_lines(text: str, *, tokens: Tokens) -> Json:
    """Content for `Scheme.parse_gold`. Raises ContentError naming the line and the answer."""
    questions = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        question, arrow, answers = line.partition(ARROW)
        if not arrow:
            raise ContentError(f"line {number}", f"write question {ARROW} answer {BAR} answer.")
        spans = [_span(one.strip(), tokens, number) for one in answers.split(BAR)]
        questions.append({"question": question.strip(), "answers": spans})
    return {"questions": questions}


def _written(start: int, end: int, tokens: Tokens) -> str:
    words = " ".join(tokens[start:end])
    plain = BAR not in words and len(list(_places(words.split(" "), tokens))) == 1
    return words if plain else f"{words.replace(BAR, '/')} [{start}:{end}]"


def _span(answer: str, tokens: Tokens, number: int) -> list[int]:
    if placed := _PLACE.fullmatch(answer):
        return [int(placed.group(2)), int(placed.group(3))]
    found = list(_places(answer.split(), tokens)) if answer else []
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(f"[{start}:{end}]" for start, end in found)
        raise ContentError(
            f"line {number}", f"“{answer}” stands there more than once: add one of {listed}."
        )
    raise ContentError(f"line {number}", f"“{answer}” is not in the sentence, word for word.")


def _places(words: list[str], tokens: Tokens) -> Iterator[list[int]]:
    for start in range(len(tokens) - len(words) + 1):
        if list(tokens[start : start + len(words)]) == words:
            yield [start, start + len(words)]

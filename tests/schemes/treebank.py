"""Documents of a treebank, and the agreement of a tokenizer with its words and sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path

Words = Sequence[str]


@dataclass
class Paragraph:
    """The text of a paragraph, and the words of each of its sentences."""

    text: str = ""
    sentences: list[Words] = field(default_factory=list)


Documents = list[Paragraph]


def documents(path: Path) -> tuple[Documents, Documents]:
    """Return the paragraphs of documents with odd numbers, and of those with even ones."""
    halves: tuple[Documents, Documents] = ([], [])
    number = 0
    for comments, rows in _blocks(path):
        if any(comment.startswith("# newdoc") for comment in comments):
            number += 1
        half = halves[(number + 1) % 2]
        is_new = any(comment.startswith(("# newpar", "# newdoc")) for comment in comments)
        if is_new or not half:
            half.append(Paragraph())
        text = next(line for line in comments if line.startswith("# text = "))
        _add_sentence(half[-1], text.removeprefix("# text = "), rows)
    return halves


def _blocks(path: Path) -> Iterator[tuple[list[str], list[list[str]]]]:
    for block in path.read_text("utf-8").split("\n\n"):
        lines = block.split("\n")
        rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
        if rows:
            yield [line for line in lines if line.startswith("#")], rows


def _add_sentence(paragraph: Paragraph, text: str, rows: list[list[str]]) -> None:
    last = [row for row in rows if "." not in row[0]][-1]
    ends_of_tokens = [row for row in rows if row[0].endswith(f"-{last[0]}")] or [last]
    paragraph.text += text + ("" if "SpaceAfter=No" in ends_of_tokens[0][9] else " ")
    paragraph.sentences.append(tuple(row[1] for row in rows if row[0].isdigit()))


@dataclass
class Score:
    """Counts of spans of characters, without white space, as in the CoNLL shared tasks."""

    tokens: list[int] = field(default_factory=lambda: [0, 0])
    sentences: list[int] = field(default_factory=lambda: [0, 0])

    def add(self, paragraph: Paragraph, predicted: list[Words]) -> None:
        for counts, spans in ((self.tokens, _token_spans), (self.sentences, _sentence_spans)):
            gold, others = spans(paragraph.sentences), spans(predicted)
            counts[0] += 2 * len(gold & others)
            counts[1] += len(gold) + len(others)

    @property
    def token_f1(self) -> float:
        return self.tokens[0] / self.tokens[1]

    @property
    def sentence_f1(self) -> float:
        return self.sentences[0] / self.sentences[1]


def _token_spans(sentences: Sequence[Words]) -> set[tuple[int, int]]:
    return _spans(len("".join(word.split())) for words in sentences for word in words)


def _sentence_spans(sentences: Sequence[Words]) -> set[tuple[int, int]]:
    return _spans(len("".join("".join(words).split())) for words in sentences)


def _spans(lengths: Iterator[int]) -> set[tuple[int, int]]:
    return set(pairwise(accumulate(lengths, initial=0)))

"""The guidelines, which have valid examples and stable headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from schemes import qasrl
from schemes.english.verbs import verb_forms
from schemes.qasrl.grammar import item_table

from .checking_walker import CheckingWalker

FOLDER = Path(qasrl.__file__).parent / "guidelines"
NAMES = ["generation.md", "consolidation.md", "validation.md"]
# Feedback links to these headings. Reword them only together with the links.
ANCHORS = {
    "generation.md": [
        "asking-and-answering",
        "the-idea",
        "building-a-question",
        "do-to-do-and-doing",
        "the-preposition-at-the-end",
        "every-participant",
        "when-where-why-how",
        "what-is-only-implied",
        "modals",
        "negation",
        "answers",
        "several-answers",
        "pronouns",
        "no-overlap",
        "the-substitute-test",
        "one-question-for-each-role",
        "when-nothing-can-be-asked",
        "before-you-submit",
    ],
    "consolidation.md": [
        "bringing-two-annotations-together",
        "your-part",
        "invalid-questions",
        "redundant-questions",
        "correcting-answers",
        "missing-questions",
        "no-overlap",
        "a-whole-example",
        "when-the-two-disagree-about-what-happened",
        "before-you-submit",
    ],
    "validation.md": [
        "judging-and-answering-questions",
        "your-part",
        "invalid-questions",
        "answers",
        "repeated-questions",
        "no-overlap",
        "before-you-submit",
    ],
}


@dataclass
class Example:
    """A sentence with its verb marked, and the questions that are shown as correct."""

    tokens: list[str]
    verb_idx: int
    # Each question with its answers, which are empty if the text has none.
    questions: list[tuple[str, list[str]]] = field(default_factory=list)


def text_of(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def example_of(sentence: str) -> Example:
    words = sentence.split(" ")
    marked = [position for position, token in enumerate(words) if token.startswith("**")]
    assert len(marked) == 1, sentence
    return Example([token.strip("*") for token in words], marked[0])


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def examples_of(name: str) -> list[Example]:
    """Return sentences in block quotes with the tables below them, and sentences in table rows."""
    examples: list[Example] = []
    header: list[str] = []
    for line in text_of(name).splitlines():
        if line.startswith("> "):
            examples.append(example_of(line[2:]))
        if not line.startswith("|"):
            header = []
        elif not header:
            header = cells_of(line)
        elif not line.startswith("| ---"):
            row = dict(zip(header, cells_of(line), strict=True))
            examples.extend(example_in_row(row))
            if examples:
                examples[-1].questions.extend(questions_in_row(row))
    return examples


def example_in_row(row: dict[str, str]) -> Iterator[Example]:
    if "The sentence" in row:
        example = example_of(row["The sentence"])
        example.questions.append((row["Good"], []))
        yield example


def questions_in_row(row: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    answers = row.get("Answer") or (row.get("Good") if "Question" in row else None)
    decision = row.get("Decision", "keep")
    is_right = decision.startswith("keep") and "split" not in decision
    if answers and is_right:
        yield row["Question"], answers.split(" / ")


def place_of(answer: str, tokens: list[str]) -> tuple[int, int]:
    words = answer.split(" ")
    ends = range(len(words), len(tokens) + 1)
    places = [(end - len(words), end) for end in ends if tokens[end - len(words) : end] == words]
    assert len(places) == 1, answer
    return places[0]


@pytest.mark.parametrize("name", NAMES)
def test_headings_match_the_anchors_of_feedback_links(name):
    headings = re.findall(r"^#+ (.+)$", text_of(name), re.M)
    assert [anchor_of(heading) for heading in headings] == ANCHORS[name]


@pytest.mark.parametrize("name", NAMES)
def test_links_point_to_headings(name):
    links = re.findall(r"\]\(#([^)]+)\)", text_of(name))
    assert set(links) <= set(ANCHORS[name])


@pytest.mark.parametrize(
    ("name", "minutes"), [("generation.md", 6.5), ("consolidation.md", 5), ("validation.md", 5)]
)
def test_text_can_be_read_in_a_few_minutes(name, minutes):
    words = re.findall(r"[A-Za-z']+", text_of(name))
    assert len(words) <= minutes * 230


@pytest.mark.parametrize(("name", "count"), [("generation.md", 31), ("consolidation.md", 14)])
def test_example_questions_are_valid(name, count):
    questions = 0
    for example in examples_of(name):
        forms = verb_forms(example.tokens[example.verb_idx])
        walker = CheckingWalker(item_table(forms, example.tokens))
        for question, _ in example.questions:
            assert walker.check(question).state == "complete", question
            questions += 1
    assert questions >= count


@pytest.mark.parametrize("name", NAMES)
def test_example_answers_occur_in_their_sentence(name):
    for example in examples_of(name):
        for _, answers in example.questions:
            for answer in answers:
                start, end = place_of(answer, example.tokens)
                assert not start <= example.verb_idx < end


@pytest.mark.parametrize("name", NAMES)
def test_example_answers_do_not_overlap(name):
    for example in examples_of(name):
        # A question may occur twice, as annotated and as submitted.
        answered = {answer for _, answers in example.questions for answer in answers}
        places = sorted(place_of(answer, example.tokens) for answer in answered)
        assert all(left[1] <= right[0] for left, right in pairwise(places)), places


def test_examples_are_not_those_of_the_sample_corpus():
    samples = Path(qasrl.__file__).with_name("samples") / "sentences.csv"
    corpus = samples.read_text(encoding="utf-8")
    for name in NAMES:
        for example in examples_of(name):
            assert " ".join(example.tokens) not in corpus

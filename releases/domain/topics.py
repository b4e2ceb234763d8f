"""Topics of a data statement and a datasheet about which only the authors know.

The documents are data statements (Bender and Friedman, 2018) and datasheets (Gebru et al., 2021).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

OPEN = "**For the authors:**"


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with a short label for forms. `text` asks for what the documents need."""

    key: str
    label: str
    text: str


TOPICS: Sequence[Topic] = (
    Topic("rationale", "Why these texts", "Why were these texts chosen, and for which purpose?"),
    Topic("origin", "Origin of the texts", "Where do the texts come from, and since when?"),
    Topic(
        "speakers", "Authors of the texts", "Who wrote or spoke the texts, as far as it is known?"
    ),
    Topic(
        "situation",
        "Situation",
        "When, where and for whom were the texts written or spoken, and were they edited?",
    ),
    Topic("genre", "Genre", "Which genres and subjects do the texts have?"),
    Topic(
        "guideline_authors",
        "Authors of the guidelines",
        "Who wrote the guidelines, and what is their background?",
    ),
    Topic("ethics", "Ethical review", "Did an ethics board review the collection?"),
    Topic(
        "personal",
        "Personal data",
        "Do the texts contain personal, sensitive or offensive content?",
    ),
    Topic("uses", "Intended uses", "Which uses is the dataset made for?"),
    Topic("misuses", "Unsuitable uses", "Which uses is it not suitable for?"),
    Topic("biases", "Biases", "Which biases of the texts or annotations are known?"),
    Topic(
        "impact", "Social impact", "What good or harm could systems do that learn from the dataset?"
    ),
    Topic("maintenance", "Maintenance", "Who maintains the dataset, and how are errors reported?"),
)
_BY_KEY = {topic.key: topic for topic in TOPICS}


def answer(key: str, answers: Mapping[str, str]) -> str:
    """Return what the authors wrote about the topic, or its text, marked as open."""
    return answers.get(key, "").strip() or f"{OPEN} {_BY_KEY[key].text}"


def open_topics(answers: Mapping[str, str]) -> list[Topic]:
    """Return the topics without an answer."""
    return [topic for topic in TOPICS if not answers.get(topic.key, "").strip()]

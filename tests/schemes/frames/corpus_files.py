"""A generated corpus with sentences in CoNLL-U and records of the tasks A, B.1 and B.2."""

import random
from dataclasses import dataclass
from pathlib import Path

# Verb form, lemma, particle, frame, and the labels of the subject and of the words after the verb.
VERBS = (
    ("sold", "sell", "", "Commerce_sell", (("Seller", "Agent"), ("Goods", "Theme"))),
    ("bought", "buy", "back", "Commerce_buy", (("Buyer", "Agent"), ("Goods", "Theme"))),
    ("gave", "give", "", "Giving", (("Donor", "Agent"), ("Theme", "Theme"))),
    ("took", "take", "over", "Taking", (("Agent", "Agent"), ("Theme", "Theme"))),
    ("built", "build", "", "Building", (("Agent", "Agent"), ("Created_entity", "Product"))),
)
SUBJECTS = ("fund", "bank", "miners", "union", "state")
OBJECTS = (("bonds",), ("common", "shares"), ("houses",), ("old", "ships"), ("land",))
TAIL = (("in", "ADP", "case"), ("May", "PROPN", "obl"), (".", "PUNCT", "punct"))


@dataclass(frozen=True)
class CorpusFiles:
    sentences: Path
    task_a: Path
    task_b1: Path
    task_b2: Path
    confidence: Path

    @property
    def records(self) -> list[Path]:
        return [self.task_a, self.task_b1, self.task_b2]


def write_corpus(folder: Path, *, records: int = 300, seed: int = 1) -> CorpusFiles:
    """Write a corpus with one record per sentence."""
    rng = random.Random(seed)
    lines: dict[str, list[str]] = {"conllu": [], "a": [], "b1": [], "b2": [], "confidence": []}
    for number in range(records):
        for name, line in _record(number, rng):
            lines[name].append(line)
    paths = {}
    for name, rows in lines.items():
        suffix = "conllu" if name == "conllu" else "txt"
        paths[name] = folder / f"{name}.{suffix}"
        paths[name].write_text("\n".join(rows) + "\n", "utf-8")
    return CorpusFiles(*paths.values())


def _record(number: int, rng: random.Random):
    form, lemma, particle, frame, labels = rng.choice(VERBS)
    subject, obj = rng.choice(SUBJECTS), rng.choice(OBJECTS)
    # token, lemma, tag, head (from 1), relation
    words = [("The", "the", "DET", 2, "det"), (subject, subject, "NOUN", 3, "nsubj")]
    words.append((form, lemma, "VERB", 0, "root"))
    verb = [3]
    if particle:
        words.append((particle, particle, "ADP", 3, "compound:prt"))
        verb.append(4)
    first = len(words) + 1
    head = first + len(obj) - 1
    for at, word in enumerate(obj, start=first):
        is_head = at == head
        stem = word.removesuffix("s") if is_head else word
        words.append((word, stem, "NOUN", 3 if is_head else head, "obj" if is_head else "amod"))
    place = len(words) + 1
    for word, tag, relation in TAIL:
        words.append((word, word.lower(), tag, place + 1 if relation == "case" else 3, relation))
    sentence = f"{20671000 + number}"
    yield "conllu", f"# sent_id = {sentence}"
    for at, (token, stem, tag, above, relation) in enumerate(words, start=1):
        yield "conllu", f"{at}\t{token}\t{stem}\t{tag}\t_\t_\t{above}\t{relation}\t_\t_"
    yield "conllu", ""
    positions = "_".join(map(str, verb))
    name = f"{lemma}_{particle}" if particle else lemma
    heads = [
        ("2", subject),
        (
            "_".join(map(str, range(first, head + 1))),
            "_".join(stem for _, stem, *_ in words[first - 1 : head]),
        ),
    ]
    arguments = [(*place, *label) for place, label in zip(heads, labels, strict=True)]
    if rng.random() < 0.2:
        arguments = arguments[:1]
    start = f"#{sentence} {positions} {name}"
    yield "a", f"{start}.{frame}"
    yield "b1", f"{start}.{frame} " + " ".join(f"{f}-:-{p}-:-{e}" for p, f, e, _ in arguments)
    yield "b2", f"{start}.na " + " ".join(f"{f}-:-{p}-:-{r}" for p, f, _, r in arguments)
    yield "confidence", f"#{sentence} {positions} {rng.randint(1, 5)}"

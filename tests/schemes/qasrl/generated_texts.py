"""Texts as people type them, such as finished and unfinished questions and typing errors."""

import random
from collections.abc import Iterator

from schemes.english.forms import VerbForms

from .checking_walker import CheckingWalker

ITEMS = [
    (
        VerbForms("carry", "carries", "carrying", "carried", "carried"),
        "They carried it out of town",
    ),
    (
        VerbForms("do", "does", "doing", "did", "done"),
        "What they did , they did to us on to the end",
    ),
    (VerbForms("have", "has", "having", "had", "had"), "It had nothing in from the cold"),
    (VerbForms("put", "puts", "putting", "put", "put"), "Put up with it from under the bed"),
    (VerbForms("give", "gives", "giving", "gave", "given"), "Given to him out to sea versus me"),
    (VerbForms("like", "likes", "liking", "liked", "liked"), "They like it like that , up to now"),
    (VerbForms("run", "runs", "running", "ran", "run"), "😀 ran past , by and by , into to"),
    (VerbForms("naïf", "naïfs", "naïfing", "naïfed", "naïfed"), ""),
]
ODD = [
    "\u2019",
    "'",
    "?",
    " ",
    "\u00a0",
    "\t",
    "\u2003",
    "😀",
    "é",
    "İ",
    "ß",
    "\u202e",
    "\0",
    "\ufeff",
]
WORDS = ["not", "to", "do", "doing", "someone", "something", "somewhere", "it", "been", "?", "who"]
WORDS += ["constructor", "__proto__", "toString", "did", "had", "out", "of", "how", "long", "was"]


def random_question(walker: CheckingWalker, rng: random.Random, *, stop: float) -> str:
    """Return a random walk along legal words. It stops with probability `stop` where it may."""
    path: list[str] = []
    threads = walker.start()
    while choices := walker.choices(threads):
        if walker.ends(threads) and rng.random() < stop:
            break
        path.append(rng.choice(choices))
        threads = walker.step(threads, path[-1])
    return " ".join(path)


def with_errors(text: str, rng: random.Random) -> str:
    letters = list(text)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(letters) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            letters.insert(at, rng.choice([*ODD, *"abcdenostuw"]))
        elif kind == 1 and at < len(letters):
            del letters[at]
        elif kind == 2 and at + 1 < len(letters):
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
        elif at < len(letters):
            letters[at] = letters[at].upper()
    return "".join(letters)


def shuffled(text: str, rng: random.Random) -> str:
    words = text.split(" ")
    at = rng.randrange(len(words) + 1)
    if rng.random() < 0.5:
        words.insert(at, rng.choice(WORDS))
    elif at < len(words):
        words[at] = rng.choice(WORDS)
    return " ".join(words)


def texts(walker: CheckingWalker, rng: random.Random, count: int) -> Iterator[str]:
    for number in range(count):
        question = random_question(walker, rng, stop=0.3)
        kind = number % 5
        if kind == 0:
            yield rng.choice([question, f"{question.capitalize()}?", f"{question} ? "])
        elif kind == 1:
            yield question[: rng.randrange(len(question) + 1)]
        elif kind == 2:
            yield " ".join(question.split(" ")[: rng.randint(0, 6)]) + rng.choice(["", " ", "?"])
        elif kind == 3:
            yield with_errors(rng.choice([question, f"{question}?"]), rng)
        else:
            yield shuffled(question, rng) + rng.choice(["", "?", " "])

"""The stems of English verbs, without the memory and the start-up time of the whole dictionary."""

import gzip
from functools import cache
from importlib.util import find_spec
from pathlib import Path


def is_verb(stem: str) -> bool:
    """Return True if the dictionary lists the word as the stem of a verb."""
    return stem in _stems()


@cache
def _stems() -> frozenset[str]:
    """Read the verbs of lemminflect's table of lemmas. Its rows are `word,category,lemma/lemma`."""
    package = find_spec("lemminflect")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("lemminflect")
    table = Path(package.origin).with_name("resources") / "lemma_lu.csv.gz"
    with gzip.open(table, "rt", encoding="utf-8") as lines:
        rows = (line.rstrip().split(",") for line in lines)
        return frozenset(
            word
            for word, category, lemmas in rows
            if category == "verb" and word in lemmas.split("/")
        )

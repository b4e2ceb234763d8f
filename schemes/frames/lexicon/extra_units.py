"""Extra lexical units: a CSV file with the columns lemma, frame and score."""

import csv
import math
from collections.abc import Iterator
from pathlib import Path

from schemes.contract.errors import FieldError, FileError
from schemes.contract.values import Json
from schemes.frames.lexicon.value import EMPTY, MAX_EXTRA_UNITS, MAX_NAME, MAX_SCORE
from schemes.text_lines import numbered_lines

COLUMNS = ["lemma", "frame", "score"]


def read_extra_units(path: Path, current: Json | None) -> Json:
    """Return the lexicon with the extra units of the file in place of earlier ones.

    Units that were accepted from annotations stay. Raise FileError, also for a frame that the lexicon
    lacks.
    """
    lexicon = current or EMPTY
    accepted = {(lemma, frame) for lemma, frame in lexicon.get("from_annotations", ())}
    units: dict[tuple[str, str], list[str | float]] = {}
    for line, fields in _rows(path):
        try:
            lemma, frame, score = _unit(fields, lexicon)
        except FieldError as error:
            raise error.at(path, line) from error
        if (lemma, frame) in units:
            raise FileError(path.name, line, f"gives {lemma!r} and {frame!r} a second time.")
        units[lemma, frame] = [lemma, frame, score]
        if len(units) > MAX_EXTRA_UNITS:
            raise FileError(path.name, line, f"has more than {MAX_EXTRA_UNITS:,} units.")
    for unit in lexicon["extra_units"]:
        if (unit[0], unit[1]) in accepted:
            units.setdefault((unit[0], unit[1]), unit)
    return {**lexicon, "extra_units": list(units.values())}


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    header: list[str] = []
    for line, text in numbered_lines(path):
        try:
            fields = [field.strip() for field in next(csv.reader([text], strict=True), [])]
        except csv.Error as error:
            raise FileError(path.name, line, f"is not CSV ({error}).") from error
        if not any(fields):
            continue
        if header:
            yield line, fields
        elif [field.lower() for field in fields] == COLUMNS:
            header = fields
        else:
            raise FileError(path.name, line, f"the header must be: {','.join(COLUMNS)}")
    if not header:
        raise FileError(path.name, None, f"is empty; the header must be: {','.join(COLUMNS)}")


def _unit(fields: list[str], lexicon: Json) -> tuple[str, str, float]:
    if len(fields) != len(COLUMNS):
        raise FieldError("row", f"has {len(fields)} fields instead of {len(COLUMNS)}.")
    lemma = " ".join(fields[0].replace("_", " ").split())
    if not lemma or len(lemma) > MAX_NAME or not lemma.isprintable():
        raise FieldError("lemma", f"{lemma[:40]!r} is not a lemma.")
    if fields[1] not in lexicon["frames"]:
        raise FieldError("frame", f"the lexicon has no frame {fields[1][:80]!r}.")
    try:
        score = float(fields[2])
    except ValueError:
        score = math.nan
    if not abs(score) <= MAX_SCORE:  # nor a NaN
        raise FieldError("score", f"{fields[2][:40]!r} is not a number.")
    return lemma, fields[1], score

"""A corpus with named entities for the starter of that name, written for tests."""

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from schemes.contract.records import ExportRow
from schemes.contract.simulation import Sample
from schemes.contract.values import Json
from schemes.custom.exports import CustomExports
from schemes.custom.form import Form
from schemes.custom.tokenize import tokenize
from tests.schemes.custom.samples import parsed, row_of, starter

STARTER = "entities"
# Names are in brackets, with their label.
TEMPLATES = (
    "[{person}|PER] left [{place}|LOC] before the winter began.",
    "In {year}, [{company}|ORG] opened an office in [{place}|LOC], and [{person}|PER] led it.",
    "“I can't stay,” wrote [{person}|PER] about the job at [{company}|ORG].",
    "[{person}|PER] translated [{work}|MISC] for [{company}|ORG] in {year}.",
    "The bridge near [{place}|LOC] was closed for {days} days.",
    "[{work}|MISC] was shown in [{place}|LOC] – and nobody came.",
    "Nobody knows who paid the {days} workers.",
    "[{company}|ORG] and [{other}|ORG] share a café in [{place}|LOC].",
)
PEOPLE = ("Maren Okafor", "Dr. Lise Brandt", "Ioana", "Teo da Silva", "Zoë Lindqvist")
PLACES = (
    "Hallvik",
    "New Orsk",
    "the Tarn Valley",
    "Běloves",
    "Port Ambrose",
    "Quillan",
    "Ras Amur",
)
COMPANIES = ("Norlund Paper", "Ferry & Sons", "the University of Hallvik", "Ostara")
WORKS = ("The Salt Road", "Nine Lanterns", "Hallvik Weekly")


@dataclass(frozen=True, slots=True)
class Written:
    """A text with the entities that it names."""

    text: str
    entities: list[Json]


@cache
def written_texts(count: int) -> list[Written]:
    """Return texts, all of which differ."""
    return [_written(TEMPLATES[number % len(TEMPLATES)], number) for number in range(count)]


def _written(template: str, number: int) -> Written:
    filled = template.format(
        person=PEOPLE[number % len(PEOPLE)],
        place=PLACES[number % len(PLACES)],
        company=COMPANIES[number % len(COMPANIES)],
        other=COMPANIES[(number + 1) % len(COMPANIES)],
        work=WORKS[number % len(WORKS)],
        year=1900 + number,
        days=2 + number,
    )
    text, entities = "", []
    for part in filled.replace("[", "\n[").replace("]", "]\n").split("\n"):
        if not part.startswith("["):
            text += part
            continue
        name, label = part[1:-1].split("|")
        start = len(tokenize(text))
        text += name
        entities.append({"start": start, "end": len(tokenize(text)), "label": label})
    return Written(text, entities)


def sample_rows(count: int) -> list[ExportRow]:
    """Return the texts with their entities as exported rows."""
    definition = starter(STARTER)
    rows = []
    for number, written in enumerate(written_texts(count), start=1):
        row = row_of(definition, {"text": written.text}, {}, f"sample-{number}")
        content = parsed(definition, row, {"answers": {"entities": written.entities}})
        rows.append(replace(row, content=content))
    return rows


def written_file(fmt: str, path: Path, count: int) -> Path:
    """Write the corpus with its entities in a format of the scheme's exports."""
    CustomExports(Form(starter(STARTER))).write(sample_rows(count), path, fmt)
    return path


def make_sample(folder: Path, *, count: int = 48) -> Sample:
    """Return the corpus and its gold as the sample of a scheme, in files of the folder."""
    gold = written_file("custom-jsonl", folder / "gold.jsonl", count)
    lines = [json.loads(line) for line in gold.read_text("utf-8").splitlines()]
    sentences, rounds = folder / "texts.jsonl", folder / "rounds.csv"
    texts = [{name: line[name] for name in ("id", "texts")} for line in lines]
    sentences.write_text("".join(f"{json.dumps(line)}\n" for line in texts), "utf-8")
    rows = [f"{line['id']},{1 + number // 8}\n" for number, line in enumerate(lines[:16])]
    rounds.write_text("".join(["id,round\n", *rows]), "utf-8")
    return Sample(format="custom-jsonl", sentences=sentences, gold=[gold], rounds=rounds)

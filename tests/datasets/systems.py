"""Samples of the schemes as projects with expert gold, and outputs of made-up systems for them."""

import json
import random
from pathlib import Path

from consolidation.enums import GoldSource
from datasets.domain.exports.export_gold import ExportOptions, export_gold
from projects.models import Project
from rehearsal.domain.demo import sample_project
from schemes.registry import get_scheme
from tests.crowd.factories import NOW

# The main file of each scheme's export, and its variant.
MAIN = {"qasrl": "*.gold.csv", "frames": "*.task-a.txt", "grounding": "*.gold.jsonl"}


def make_sample(name: str) -> Project:
    scheme = get_scheme(name)
    return sample_project(name, f"Sample of {name}", scheme, scheme.sample, NOW)


def export_sample(project: Project, folder: Path) -> Path:
    """Export the expert gold in the format of evaluations. Return its main file."""
    fmt = get_scheme(project.scheme).get_scoring().export_format
    export_gold(
        project=project, options=ExportOptions(fmt=fmt, source=GoldSource.EXPERT), folder=folder
    )
    [path] = folder.glob(MAIN[project.scheme])
    return path


def system_output(project: Project, gold: Path, *, seed: int, share: float) -> str:
    """Return the output of a system that gets a share of the gold right."""
    chance = random.Random(seed)
    text = gold.read_text("utf-8")
    if project.scheme == "qasrl":
        header, *rows = text.splitlines(keepends=True)
        return header + "".join(row for row in rows if chance.random() < share)
    if project.scheme == "frames":
        lines = [line.rpartition(".") for line in text.splitlines()]
        return "".join(
            f"{start}.{frame if chance.random() < share else chance.randint(0, 5)}\n"
            for start, _, frame in lines
        )
    return "".join(f"{json.dumps(line)}\n" for line in _predictions(text, chance, share))


def _predictions(captions: str, chance: random.Random, share: float) -> list[dict]:
    return [
        {
            "id": f"{caption['id']}/{phrase['id']}",
            "image": [640, 480],
            "predicted": phrase["boxes"] if chance.random() < share else [[0, 0, 5, 5]],
        }
        for caption in map(json.loads, captions.splitlines())
        for phrase in caption["phrases"]
        if phrase.get("boxes")
    ]

"""A script that creates frames tasks on a fresh site and prints `{name: address of a task}`.

Run as `python -m tests.browser.seed_frames` with the environment of that site.
"""

import json
import random
import sys

import django

django.setup()

from django.conf import settings  # noqa: E402

from projects.domain.choose_protocol import choose_protocol  # noqa: E402
from projects.models import Project  # noqa: E402
from schemes.contract.values import Json  # noqa: E402
from tests.annotation.factories import NOW, make_task  # noqa: E402
from tests.browser.frames import (  # noqa: E402
    FRANCE,
    WINE,
    YEAR,
    make_frames_project,
    make_record,
    record,
    verification_case,
)
from tests.consolidation.factories import make_case_of  # noqa: E402
from tests.schemes.frames.page_lexicon import LEXICON, frame  # noqa: E402

FRAMES = 1200
UNITS_PER_FRAME = 11
SYLLABLES = ["com", "sel", "ri", "ta", "mo", "ver", "ge", "lo", "pur", "ne", "sta", "in"]


def large_lexicon() -> Json:
    """Return a reproducible lexicon of the size of FrameNet 1.7."""
    rng = random.Random(17)

    def word() -> str:
        return "".join(rng.choices(SYLLABLES, k=rng.randint(2, 4)))

    frames = {}
    while len(frames) < FRAMES:
        units = [f"{word()}.v" for _ in range(UNITS_PER_FRAME)]
        definition = " ".join(word() for _ in range(45))
        elements = {f"{word().title()}_{at}": "Core" for at in range(4)}
        frames[f"{word().title()}_{word()}"] = frame(definition, units, **elements)
    return {**LEXICON, "frames": {**LEXICON["frames"], **frames}}


def main() -> dict[str, str]:
    small = make_frames_project()
    large = make_frames_project("large", large_lexicon())
    projects = {"killed": small, "frame": small, "weight": small, "latency": large}
    tasks = {name: make_task([make_record(project)]) for name, project in projects.items()}
    addresses = {name: f"generate/{task.public_id}" for name, task in tasks.items()}
    content = record("Origin", WINE, FRANCE)
    merged = make_case_of(make_record(small), content, record("Origin", WINE, YEAR))
    addresses["consolidate"] = f"consolidate/{merged.task.public_id}"
    verified = verification_case(make_verification_project(), content)
    addresses["validate"] = f"validate/{verified.task.public_id}"
    return {name: f"{settings.SITE_URL}/{address}/" for name, address in addresses.items()}


def make_verification_project() -> Project:
    project = make_frames_project("verified")
    return choose_protocol(project=project, protocol="verification", actor="seed", now=NOW)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main()))

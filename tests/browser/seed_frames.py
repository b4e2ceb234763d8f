"""Fills a fresh site with tasks of frames projects; prints `{name: address of a task}`.

Run as `python -m tests.browser.seed_frames` with the environment of that site.
"""

import json
import random
import sys

import django

django.setup()

from django.conf import settings  # noqa: E402

from schemes.base import Json  # noqa: E402
from tests.annotation.factories import make_task  # noqa: E402
from tests.browser.frames import make_frames_project, make_record  # noqa: E402
from tests.schemes.frames.page_lexicon import LEXICON, frame  # noqa: E402

FRAMES = 1200
UNITS_PER_FRAME = 11
SYLLABLES = ["com", "sel", "ri", "ta", "mo", "ver", "ge", "lo", "pur", "ne", "sta", "in"]


def large_lexicon() -> Json:
    """Return a lexicon of the size of FrameNet 1.7, the same at each call."""
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
    return {name: f"{settings.SITE_URL}/generate/{task.public_id}/" for name, task in tasks.items()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main()))

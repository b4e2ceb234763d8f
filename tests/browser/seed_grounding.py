"""A script that creates grounding tasks on a fresh site and prints `{name: address of a task}`.

Run as `python -m tests.browser.seed_grounding` with the environment of that site.
"""

import json
import sys

import django

django.setup()

from django.conf import settings  # noqa: E402

from tests.annotation.factories import make_task  # noqa: E402
from tests.browser.grounding import make_caption, make_grounding_project  # noqa: E402

NAMES = ("killed", "frame", "weight", "speed")


def main() -> dict[str, str]:
    project = make_grounding_project()
    tasks = {name: make_task([make_caption(project)]) for name in NAMES}
    return {name: f"{settings.SITE_URL}/generate/{task.public_id}/" for name, task in tasks.items()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main()))

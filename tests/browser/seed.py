"""A script that creates tasks on a fresh site and prints `{name: [address of a task, item ids]}`.

Run as `python -m tests.browser.seed` with the environment of that site.
"""

import json
import sys

import django

django.setup()

from django.conf import settings  # noqa: E402

from annotation.models import Task  # noqa: E402
from projects.models import Project  # noqa: E402
from tests.annotation.factories import CARRY, make_item, make_noun, make_project, make_task  # noqa: E402
from tests.browser.custom import WIDE, make_custom_project, make_texts  # noqa: E402

HOSTILE = [
    "<script>window.hacked=1</script>",
    "carried",
    "<img",
    "src=x",
    "onerror=window.hacked=1>",
    "\u202edesrever\u202c",
    "👩‍👩‍👧‍👦",
    "&amp;",
    "</script><script>window.hacked=1</script>",
    '"quoted"',
    "\u200f",
    "שלום",
    ".",
]
SALE = "The sale of the mill to a neighbour in May surprised us .".split()  # noqa: SIM905
REFUSAL = "The rebels have not carried the radio .".split()  # noqa: SIM905
WORDS = " ".join(f"word{number}" for number in range(60))
LONG = ["word", *[f"word{number}" for number in range(1, 10_000)]]
GUIDELINES = """# Writing questions

Ask about the **marked verb** only. <script>window.hacked=1</script>

- Cover every participant.
- Mark the shortest answer that is complete.

| good | bad |
| --- | --- |
| Who carried something? | Who is it? |
"""


def address(task: Task) -> str:
    return f"{settings.SITE_URL}/generate/{task.public_id}/"


def suggesting(setting: str) -> Project:
    project = make_project(f"suggest-{setting}", guidelines=GUIDELINES)
    project.suggestions = setting
    project.save()
    return project


def main(names: list[str]) -> dict[str, tuple[str, list[int]]]:
    project = make_project(guidelines=GUIDELINES)
    free = make_project("free", guidelines=GUIDELINES)
    free.allow_free_form = True
    free.save()
    tasks = {}
    for name in names:
        items = [make_item(free if name == "outside" else project)]
        if name == "three":
            items += [make_item(project) for _ in range(2)]
        if name == "hostile":
            items = [make_item(free, tokens=HOSTILE, verb=1, forms=CARRY)]
        if name == "long":
            items = [make_item(project, tokens=LONG, verb=5000, forms=CARRY)]
        if name.startswith("suggest"):
            items = [make_item(suggesting(name.removeprefix("suggest-")), tokens=REFUSAL, verb=4)]
        if name == "latency-custom":
            items = [make_texts(make_custom_project(WIDE, slug=name), WIDE, WORDS)]
        if name.startswith("noun"):
            items = [make_noun(project, tokens=SALE, noun=1, verb_form="sell")]
        tasks[name] = (address(make_task(items)), [item.pk for item in items])
    return tasks


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1:])))

"""Signals of simulated workers who act on a page in Chromium. See docs/explanation/signals.md.

Thresholds were fixed on workers with even seeds. Odd seeds are reported.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.conf import settings

from annotation.domain.decisions.project_signals import project_signals
from annotation.domain.decisions.signals import SIGNALS, input_measures, inputs_of
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Draft, Item, Submission, Task
from crowd.models import Worker
from metrics.intervals import wilson_interval
from model_annotators.models import ModelAnswer
from projects.models import Project
from scripts.testbed import chromium as browsers
from tests.annotation.factories import NOW, make_task, task_url
from tests.browser.custom import make_custom_project, make_texts
from tests.browser.input_people import TEXTS, Kind, Person, model_answers, person_of, run_people
from tests.browser.test_inputs import TEXTS as DEFINITION
from tests.crowd.factories import make_assignment
from tests.model_annotators.factories import make_model

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MODELS = 2


@pytest.fixture
def chromium_path() -> str:
    path = browsers.find()
    if path is None:
        pytest.skip("no Chromium: run `make test`, or set TEST_CHROMIUM")
    return path


@pytest.fixture
def items() -> list[Item]:
    """Return an item per text, which the models have answered."""
    project = make_custom_project(DEFINITION)
    items = [make_texts(project, DEFINITION, text) for text in TEXTS]
    for seed in range(MODELS):
        annotator = make_model(project, name=f"Model {seed}")
        for item, answer in zip(items, model_answers(seed), strict=True):
            ModelAnswer.objects.create(
                annotator=annotator,
                item=item,
                digest="",
                attempt=0,
                raw=answer,
                content={"answers": {"tone": "good", "summary": answer}},
                schema_version=1,
                input_tokens=0,
                output_tokens=0,
                cost_cents=0,
                seconds=0,
                answered_at=NOW,
            )
    return items


def people_of(counts: Mapping[Kind, int], texts: int) -> list[Person]:
    """Return people of each kind, who answer the first texts."""
    models = [model_answers(seed) for seed in range(MODELS)]
    everyone = [person_of(kind, seed, models) for kind, n in counts.items() for seed in range(n)]
    return [replace(person, answers=person.answers[:texts]) for person in everyone]


def work(task: Task, people: Sequence[Person], address: str, chromium: str) -> dict[int, Person]:
    """Let people work on the task, and record their submissions. Return them by worker id."""
    # Programs keep their rhythm only if few work at once.
    programs = [person for person in people if person.kind is Kind.PROGRAM]
    others = [person for person in people if person.kind is not Kind.PROGRAM]
    for group, at_once in ((programs, 3), (others, 20)):
        _run_in_chromium(task, group, address, chromium, at_once)
    workers = {}
    for person in people:
        worker = Worker.objects.create(provider="mturk", external_id=person.name, first_seen_at=NOW)
        workers[worker.pk] = person
        assignment = make_assignment(task.hit, worker)
        assignment.external_id = f"A{person.name}"
        assignment.save()
    assert Draft.objects.filter(submitted_at__isnull=False).count() == len(people)
    record_new_generations(clock=lambda: NOW, limit=len(people))
    assert Submission.objects.count() == len(people) * task.items.count()
    return workers


def _run_in_chromium(
    task: Task, people: Sequence[Person], address: str, chromium: str, at_once: int
) -> None:
    origin = settings.MTURK_WORKER_ORIGINS[0]
    pages = {}
    for person in people:
        path = task_url(task, assignment=f"A{person.name}", worker=person.name, submit_to=origin)
        pages[address + path] = person
    # Another thread, because this one may have the event loop of Playwright's other fixtures
    with ThreadPoolExecutor(1) as executor:
        executor.submit(
            run_people, pages, chromium=chromium, origin=origin, at_once=at_once
        ).result()


def shown(project: Project, people: Mapping[int, Person]) -> dict[Kind, dict[int, set[str]]]:
    """Return the codes of each person's signals, by kind and seed."""
    by_worker = project_signals(project=project).by_worker
    codes: dict[Kind, dict[int, set[str]]] = defaultdict(dict)
    for worker, person in people.items():
        codes[person.kind][person.seed] = by_worker[worker].codes
    return codes


def test_a_few_workers_of_each_kind(items, live_server, chromium_path):
    counts = {Kind.HONEST: 4, Kind.SCRIPTED: 2, Kind.PASTING: 2, Kind.PROGRAM: 2}
    task = make_task(items[:1])
    workers = work(task, people_of(counts, 1), live_server.url, chromium_path)
    codes = shown(task.batch.project, workers)
    assert codes[Kind.HONEST] == {seed: set() for seed in range(4)}
    assert all("scripted" in found for found in codes[Kind.SCRIPTED].values())
    assert all("pasted" in found for found in codes[Kind.PASTING].values())
    assert all("even" in found for found in codes[Kind.PROGRAM].values())


@pytest.mark.long
def test_share_of_workers_that_is_found(items, live_server, chromium_path):
    counts = dict.fromkeys(Kind, 24) | {Kind.HONEST: 150}
    task = make_task(items)
    workers = work(task, people_of(counts, len(items)), live_server.url, chromium_path)
    _print_measures(workers)
    codes = shown(task.batch.project, workers)
    found = {}
    for kind, by_seed in codes.items():
        for name, remainder in (("thresholds", 0), ("reported", 1)):
            rows = [own for seed, own in by_seed.items() if seed % 2 == remainder]
            hits = sum(1 for own in rows if own)
            interval = wilson_interval(hits, len(rows))
            found[kind, name] = hits / len(rows)
            by_code = {code: sum(code in own for own in rows) for code in SIGNALS}
            print(  # noqa: T201
                f"{kind}, {name}: {hits} of {len(rows)} "
                f"({interval.low:.1%} to {interval.high:.1%}), {by_code}"
            )
    assert found[Kind.HONEST, "reported"] <= 0.01
    assert found[Kind.SCRIPTED, "reported"] >= 0.95
    assert found[Kind.PASTING, "reported"] >= 0.95
    assert found[Kind.PROGRAM, "reported"] >= 0.95


def _print_measures(workers: Mapping[int, Person]) -> None:
    """Print the outer values of each measure on the half that thresholds are fixed on."""
    values: dict[tuple[Kind, str], list[float]] = defaultdict(list)
    for submission in Submission.objects.all():
        person = workers[submission.worker_id]
        if person.seed % 2 == 0:
            inputs = inputs_of(submission.inputs)
            measures = input_measures(inputs, active_seconds=submission.active_seconds)
            for code, value in measures.items():
                if value is not None:
                    values[person.kind, code].append(value)
    for (kind, code), measured in sorted(values.items()):
        ordered = sorted(measured)
        outer = [
            f"{value:.3f}" for value in (*ordered[:3], ordered[len(ordered) // 2], *ordered[-3:])
        ]
        print(f"{kind}, {code}: {' '.join(outer)} of {len(ordered)}")  # noqa: T201

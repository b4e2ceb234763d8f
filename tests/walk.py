"""Build a project of any scheme from its files, and read all its pages and API resources."""

import json
import re
from collections.abc import Callable, Iterable
from datetime import timedelta
from io import StringIO

from django.core.management import call_command
from django.test import Client
from django.urls import NoReverseMatch, reverse

from annotation.domain.corpus.item_context import context_of
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Draft, Item, Task
from config.api_urls import urlpatterns as api_routes
from consolidation.domain.cases.open_cases import open_due_cases, publish_open_cases
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.cases.revise import accept_due_revisions, publish_due_revisions
from consolidation.models import Gold
from consolidation.protocols import PROTOCOLS
from crowd.models import Assignment, Worker
from projects.domain.schemes import scheme_of
from projects.enums import MemberRole
from projects.models import Project
from projects.permissions import page_rules
from qualification.domain.rounds.publish_round import invite_workers, publish_round
from qualification.domain.rounds.set_up_rounds import plans_of_preset, set_up_rounds
from qualification.domain.training.evaluate import enrol_newcomers, evaluate_due
from qualification.domain.training.feedback import Notes, link_of, send_feedback, sent_to
from qualification.models import Enrolment
from schemes.contract.values import Json
from schemes.simulated_person import Person
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user

LATER = NOW + timedelta(minutes=5)
# Styles and scripts are excluded, because they use MTurk's names for a task's page. CSRF tokens and
# signed addresses are excluded, because their random letters can spell a word.
GENERAL_TEXT = re.compile(
    r"<style.*?</style>|<script.*?</script>|\b[A-Za-z0-9]{64}\b|/[a-z]+/\d+/\d+/[\w-]{43}\b",
    re.DOTALL,
)


def run(*arguments: object) -> str:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def submit(task: Task, worker: Worker, content: dict[str, object]) -> None:
    contents = {str(task.items.get().pk): content}
    assignment = Assignment.objects.create(
        hit=task.hit,
        worker=worker,
        external_id=f"A-{task.pk}-{worker.pk}",
        accepted_at=NOW,
        submitted_at=LATER,
        answer={"content": json.dumps(contents)},
    )
    Draft.objects.create(
        task=task,
        assignment_ref=assignment.external_id,
        worker_ref=worker.external_id,
        content=contents,
        opened_at=NOW,
        saved_at=NOW,
        active_seconds=30,
    )


def sweep() -> None:
    record_new_generations(clock=lambda: LATER)
    open_due_cases(clock=lambda: LATER)
    publish_open_cases(clock=lambda: LATER)
    record_new_case_work(clock=lambda: LATER)
    accept_due_revisions(clock=lambda: LATER)
    for protocol in PROTOCOLS.values():
        protocol.write_due_gold(clock=lambda: LATER)
    publish_open_cases(clock=lambda: LATER)
    publish_due_revisions(clock=lambda: LATER)
    enrol_newcomers(clock=lambda: LATER)
    evaluate_due(clock=lambda: LATER)


def annotate(project: Project) -> None:
    """Let simulated workers annotate and judge every item without errors."""
    publish_batch(project=project, now=NOW)
    for task in Task.objects.filter(role="generator"):
        for _ in range(project.generators_per_item):
            submit(task, make_worker(), generation_of(task))
    sweep()
    role = PROTOCOLS[project.protocol].role
    for task in Task.objects.filter(role=role):
        for _ in range(project.redundancy(role)):
            submit(task, make_worker(), judgment_of(task))
    sweep()


def generation_of(task: Task, *, skill: float = 1.0) -> Json:
    """Return a simulated annotation of the task's item, without errors at skill 1."""
    item = task.items.get()
    simulation = scheme_of(item.project).get_simulation()
    return simulation.generate(_reference_of(item), context_of(item), Person(skill), item.key)


def judgment_of(task: Task) -> Json:
    """Return a simulated consolidation or validation of the expert's annotation."""
    item = task.items.get()
    scheme, reference = scheme_of(item.project), _reference_of(item)
    simulation = scheme.get_simulation()
    if task.role == "consolidator":
        assert simulation.consolidate
        return simulation.consolidate([reference] * 2, context_of(item), Person(1.0), "a")
    assert simulation.validate
    return simulation.validate([reference], context_of(item), Person(1.0), "a")


def _reference_of(item: Item) -> Json:
    reference: Json = Gold.objects.get(item=item, source="expert").content
    return reference


def train(project: Project, keys: list[str], answer: Callable[[Task], Json]) -> Enrolment:
    """Return the enrolment of a worker who did a round of the items and got feedback."""
    plans = plans_of_preset(
        scheme=scheme_of(project), preset="controlled-crowdsourcing-2020", keys={1: keys}
    )
    [round] = set_up_rounds(project=project, plans=plans, actor="tests", now=NOW)
    worker = make_worker()
    invite_workers(round=round, workers=[worker], actor="tests", now=NOW)
    cohort = publish_round(round=round, actor="tests", now=NOW)
    for task in cohort.batch.tasks.order_by("pk"):
        submit(task, worker, answer(task))
    sweep()
    enrolment = Enrolment.objects.get(round=round, worker=worker)
    trainer = make_user("tina", project, MemberRole.TRAINER)
    send_feedback(enrolment=enrolment, trainer=trainer, notes=Notes("Well done"), now=LATER)
    return enrolment


def project_addresses(project: Project) -> list[str]:
    """Return the addresses of the project's pages that need no further object."""
    return [address for name in page_rules() for address in addresses(name, project)]


def addresses(name: str, project: Project) -> list[str]:
    """Return the address of a page of the project or of one of its objects, if it has one."""
    item = project.items.order_by("pk").first()
    assert item
    worker = Worker.objects.order_by("pk").first()
    assert worker
    batch = project.batches.order_by("-pk").first()
    assert batch
    objects = {
        "item": item.pk,
        "quality_item": item.pk,
        "gold_sentence": item.sentence_id,
        "batch": batch.pk,
        "manage_batch": batch.pk,
        "worker": worker.pseudonym,
        "compensate": worker.pseudonym,
    }
    plain = name.rpartition(":")[2]
    arguments = [project.slug, *([objects[plain]] if plain in objects else [])]
    try:
        address = reverse(name, args=arguments)
    except NoReverseMatch:
        return []
    return [address] if address.startswith(f"/projects/{project.slug}/") else []


def training_addresses(enrolment: Enrolment) -> list[str]:
    """Return the addresses of a trainer's pages of an enrolment, and of the worker's feedback."""
    slug, worker = enrolment.round.project.slug, enrolment.worker.pseudonym
    return [
        reverse("qualification:round", args=[slug, enrolment.round_id]),
        reverse("qualification:edit", args=[slug, enrolment.round_id]),
        *(
            reverse(f"qualification:{name}", args=[slug, enrolment.round_id, worker])
            for name in ("trainee", "preview")
        ),
        reverse("qualification:pool_worker", args=[slug, worker]),
        link_of(sent_to(enrolment)[0]),
    ]


def api_addresses(project: Project) -> list[str]:
    """Return the addresses of the project's API resources.

    The list of all schemes, and what only superusers or some schemes have, are left out.
    """
    newest = {
        "item": project.items.latest("pk").pk,
        "batch": project.batches.latest("pk").pk,
        "submission": project.items.filter(submissions__isnull=False)
        .latest("submissions__pk")
        .submissions.latest("pk")
        .pk,
    }
    worker = Worker.objects.latest("pk").pseudonym
    others = (
        *("schema", "schemes", "not_found", "blocks", "failures"),
        *("resource_versions", "lost_parts"),
    )
    names = [route.name for route in api_routes if route.name not in others]
    result = []
    for name in names:
        first = project.scheme if name == "scheme" else project.slug
        arguments = [[], [first], [project.slug, newest.get(name, worker)]]
        for values in arguments:
            try:
                result.append(reverse(f"api:{name}", args=values))
            except NoReverseMatch:
                continue
            break
    return result


def read_pages(client: Client, addresses: Iterable[str]) -> dict[str, str]:
    """Return the text of each page, without scripts and styles, by address."""
    texts = {}
    for address in addresses:
        response = client.get(address)
        if response.status_code == 405:  # an action without a page
            continue
        assert response.status_code in (200, 302), address
        text = b"".join(response) if response.streaming else response.content
        texts[address] = GENERAL_TEXT.sub("", text.decode(errors="replace"))
    return texts

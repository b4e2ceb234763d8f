"""Factories for projects, items and tasks, which call the domain functions."""

from collections.abc import Sequence
from datetime import UTC, datetime

from annotation.domain.publishing.publish import PAGE, TaskPlan, create_batch, publish_items
from annotation.models import BonusAppeal, HeldBonus, Item, Sentence, Task
from crowd.models import Assignment, Payment
from projects.domain.create_project import create_project, write_guidelines
from projects.enums import BonusTiming, Role
from projects.models import Project
from schemes.english.verbs import verb_forms
from tests.signed import signed

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SENTENCE = [
    "The",
    "rebels",
    "carried",
    "the",
    "old",
    "radio",
    "out",
    "of",
    "the",
    "burning",
    "village",
    "on",
    "Sunday",
    ".",
]
CARRY = {
    "stem": "carry",
    "presentSingular3rd": "carries",
    "presentParticiple": "carrying",
    "past": "carried",
    "pastParticiple": "carried",
}


def make_project(
    slug: str = "news",
    *,
    guidelines: str = "# Generation\n\nAsk about the verb.",
    bonus_timing: str = BonusTiming.AT_ONCE,
) -> Project:
    project = create_project(
        slug=slug, scheme="qasrl", pay_scheme="qasrl-2020", bonus_timing=bonus_timing, now=NOW
    )
    write_guidelines(project=project, role=Role.GENERATOR, text=guidelines, now=NOW)
    return project


def make_item(
    project: Project,
    *,
    tokens: Sequence[str] = SENTENCE,
    verb: int = 2,
    forms: dict[str, str] | None = None,
) -> Item:
    number = project.sentences.count() + 1
    sentence = Sentence.objects.create(
        project=project, external_id=f"{project.slug}:{number}", tokens=list(tokens)
    )
    target = {"verb_idx": verb, "verb": tokens[verb], "forms": forms or CARRY}
    return Item.objects.create(
        project=project,
        sentence=sentence,
        key=f"{sentence.external_id}:{verb}",
        target=target,
        position=number,
    )


def make_noun(project: Project, *, tokens: Sequence[str], noun: int, verb_form: str) -> Item:
    """Return an item of a noun that is derived from the verb `verb_form`."""
    item = make_item(project, tokens=tokens, verb=noun)
    forms = verb_forms(verb_form).by_name()
    item.target |= {"kind": "noun", "verb_form": verb_form, "forms": forms}
    item.save()
    return item


def make_task(items: Sequence[Item]) -> Task:
    """Return a planned generation task over the items, which is not sent to any marketplace."""
    batch = create_batch(
        project=items[0].project,
        role=Role.GENERATOR,
        title="Questions",
        description="Questions about a verb",
        qualifications=[],
        now=NOW,
    )
    return publish_items(batch=batch, plans=[TaskPlan(items)], page=PAGE, now=NOW)[0]


def task_url(
    task: Task,
    *,
    assignment: str = "A1",
    worker: str = "W1",
    submit_to: str,
    is_signed: bool = True,
) -> str:
    """Return the address of the task's page in a marketplace frame."""
    query = f"assignmentId={assignment}&hitId=H1&workerId={worker}&turkSubmitTo={submit_to}"
    address = f"/generate/{task.public_id}/?{query}"
    return signed(address) if is_signed else address


def make_held_bonus(assignment: Assignment) -> HeldBonus:
    """Create a bonus of 5 cents that needs review, without a reservation in the ledger."""
    payment = Payment.objects.create(
        assignment=assignment,
        kind="bonus",
        amount_cents=5,
        fee_cents=1,
        token=f"held-{assignment.pk}",
        reason="Thank you!",
        state="review",
        needs_review=True,
        intended_at=NOW,
    )
    return HeldBonus.objects.create(
        project=assignment.hit.task.batch.project,
        payment=payment,
        earned_cents=payment.amount_cents,
        terms=assignment.hit.task.batch.project.pay_scheme["generator"],
        reasons=[{"code": "units", "text": "There are many."}],
        held_at=NOW,
    )


def make_appeal(held: HeldBonus) -> BonusAppeal:
    """Create a worker's appeal about the bonus, whatever its state."""
    return BonusAppeal.objects.create(held=held, text="I wrote it myself.", created_at=NOW)

"""Junk whose bonus is held, in each scheme: in itself, beside others' work, and across tasks."""

import pytest

from annotation.domain.decisions.review_bonus import accept_bonus, decline_bonus
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Draft, HeldBonus, Item, Submission, Task
from crowd.enums import HitState
from crowd.models import Hit, Payment, Worker
from schemes.contract.values import Json
from tests.annotation.factories import NOW, make_item, make_project, make_task
from tests.browser.grounding import make_caption, make_grounding_project
from tests.crowd.factories import make_assignment, make_worker
from tests.schemes.frames.projects import TOKENS, import_sample, make_frames_project, make_record

pytestmark = pytest.mark.django_db

TEMPLATES = [
    "Who carried something?",
    "What did someone carry?",
    "Where did someone carry something?",
    "When did someone carry something?",
    "Why did someone carry something?",
    "How did someone carry something?",
]
SENTENCE = ["They", "carried", *(f"thing{at}" for at in range(40)), "."]


def submit(*items: Item, worker: Worker, contents: list[Json], seconds: int = 120) -> Submission:
    """Let the worker submit the items as one task. Return the last submission."""
    task = Task.objects.filter(items=items[0]).first() or make_task(items)
    Hit.objects.filter(pk=task.hit_id).update(
        state=HitState.LIVE, external_id=f"HIT{task.pk}", created_at=NOW
    )
    task.refresh_from_db()
    assignment = make_assignment(task.hit, worker)
    Draft.objects.create(
        task=task,
        assignment_ref=assignment.external_id,
        worker_ref=worker.external_id,
        content={str(item.pk): content for item, content in zip(items, contents, strict=True)},
        opened_at=NOW,
        saved_at=NOW,
        submitted_at=NOW,
        active_seconds=seconds,
    )
    record_new_generations(clock=lambda: NOW)
    return assignment.submissions.order_by("pk").last()


def reasons(submission: Submission) -> list[str]:
    """Return the codes of the reasons to hold the bonus. The work itself is accepted."""
    assert submission.state == "accepted", submission.problem
    payment = Payment.objects.get(assignment=submission.assignment, kind="bonus")
    held = HeldBonus.objects.filter(payment=payment).first()
    assert (payment.state == "review") == (held is not None)
    return [reason["code"] for reason in held.reasons] if held else []


def questions(*texts: str, places) -> Json:
    return {
        "questions": [
            {"question": text, "answers": [[at, at + 1]]}
            for text, at in zip(texts, places, strict=False)
        ]
    }


# --- questions


def test_six_template_questions_at_equal_distances_are_held():
    item = make_item(make_project(), tokens=SENTENCE, verb=1)
    junk = questions(*TEMPLATES, places=range(2, 20, 3))
    assert reasons(submit(item, worker=make_worker(), contents=[junk])) == ["equal-distances"]


def test_the_same_questions_in_every_task_are_held():
    project, script, other = make_project(), make_worker(), make_worker()
    places = [(2, 5, 9, 14, 22), (3, 4, 11, 19, 30), (2, 8, 15, 31, 33), (7, 8, 10, 20, 24)]
    items = [make_item(project, tokens=SENTENCE, verb=1) for _ in places]
    held = [
        reasons(submit(item, worker=script, contents=[questions(*TEMPLATES[:5], places=at)]))
        for item, at in zip(items, places, strict=True)
    ]
    assert held == [[], [], ["same-questions"], ["same-questions"]]
    # Another worker's tasks are not compared.
    mine = questions(*TEMPLATES[:5], places=places[0])
    assert reasons(submit(items[3], worker=other, contents=[mine])) == []


def test_items_of_one_task_are_compared_with_each_other():
    project = make_project()
    items = [make_item(project, tokens=SENTENCE, verb=1) for _ in range(2)]
    places = (2, 5, 9, 14)
    contents = [
        questions(*TEMPLATES[:4], places=places),
        questions(*TEMPLATES[1:5], places=places),
    ]
    last = submit(*items, worker=make_worker(), contents=contents)
    assert reasons(last) == ["same-positions"] * 2


# --- boxes


def boxes(*phrases: list[list[int]]) -> Json:
    return {
        "phrases": [
            {"id": f"p{at}", "state": "boxes" if drawn else "absent", "boxes": drawn}
            for at, drawn in enumerate(phrases)
        ]
    }


def test_a_hundred_and_fifty_specks_earn_the_reward_only():
    """They are sent to the marketplace alone, because the page refuses more than 60 boxes."""
    project = make_grounding_project()
    specks = [[[x + k, 5 * k, x + k + 3, 5 * k + 3] for k in range(40)] for x in (0, 100, 200)]
    caption = make_caption(project)
    submission = submit(caption, worker=make_worker(), contents=[boxes(*specks, [])])
    assert reasons(submission) == ["units", "tiny", "equal-sizes", "row", "number"]
    # The bonus under review is that of the maximum of 60 boxes.
    assert Payment.objects.get(kind="bonus").amount_cents == 120


def test_few_specks_are_held_too():
    specks = [[at * 9, 40 - at, at * 9 + 2, 43 - at] for at in (0, 1, 3, 4)]
    caption = make_caption(make_grounding_project())
    submission = submit(caption, worker=make_worker(), contents=[boxes(specks, [], [], [])])
    assert reasons(submission) == ["tiny"]


# --- arguments


@pytest.fixture
def frames():
    project = make_frames_project()
    import_sample(project)
    return project


def arguments(*heads: int) -> Json:
    return {
        "frame": "Commerce_sell",
        "confidence": 4,
        "arguments": [{"head": [at], "role": "Theme"} for at in heads],
    }


def make_long_record(project) -> Item:
    item = make_record(project)
    item.sentence.tokens = [*TOKENS[:-1], *(f"thing{at}" for at in range(40)), "."]
    item.sentence.save()
    return item


def test_an_argument_on_every_word_is_held(frames):
    item = make_long_record(frames)
    junk = arguments(*range(3, 21))
    assert reasons(submit(item, worker=make_worker(), contents=[junk])) == [
        "units",
        "neighbours",
        "equal-distances",
        "beyond-core",
    ]


SEVEN = (0, 3, 5, 9, 14, 22, 30)


@pytest.mark.parametrize(
    ("others", "expected"), [([], []), ([1], ["more-than-others"]), ([1, 3], [])]
)
def test_work_is_compared_with_that_of_others(frames, others, expected):
    item = make_long_record(frames)
    for count in others:
        submit(item, worker=make_worker(), contents=[arguments(*SEVEN[:count])])
    submission = submit(item, worker=make_worker(), contents=[arguments(*SEVEN)])
    assert reasons(submission) == expected


@pytest.mark.parametrize(
    ("decision", "expected"), [("held", []), ("declined", []), ("accepted", ["more-than-others"])]
)
def test_work_for_review_of_others_is_no_measure(frames, decision, expected):
    item = make_long_record(frames)
    hasty = submit(item, worker=make_worker(), contents=[arguments(1)], seconds=1)
    assert reasons(hasty) == ["speed"]
    held = HeldBonus.objects.get()
    if decision == "declined":
        decline_bonus(held=held, reason="Hasty.", actor="rita", now=NOW)
    elif decision == "accepted":
        accept_bonus(held=held, actor="rita", now=NOW)
    submission = submit(item, worker=make_worker(), contents=[arguments(*SEVEN)])
    assert reasons(submission) == expected

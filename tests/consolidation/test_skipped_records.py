"""A skip of one worker needs the support of verifiers before the record leaves the dataset."""

import pytest

from annotation.domain.publish import publish_batch
from consolidation.enums import CaseState
from consolidation.models import Case, Gold
from projects.domain.choose_protocol import choose_protocol
from projects.enums import Protocol
from schemes.base import Json
from tests.consolidation.verification import submit, sweep
from tests.crowd.factories import NOW, make_worker
from tests.schemes.frames.projects import make_frames_project, make_record

pytestmark = pytest.mark.django_db
SKIPPED = {"skip": "no-frame", "verb": [2], "frame": "", "arguments": [], "confidence": None}
VERIFIED = {"verdict": "verified", "reason": "", "proposal": ""}
DISPUTED = {"verdict": "disputed", "reason": "It is Commerce_sell.", "proposal": ""}


@pytest.fixture
def case() -> Case:
    """Return the case of a record that its annotator skipped."""
    project = choose_protocol(
        project=make_frames_project(),
        protocol=Protocol.VERIFICATION,
        actor="test",
        now=NOW,
        validators=2,
        agree=2,
    )
    item = make_record(project)
    publish_batch(project=project, now=NOW)
    submit(item.tasks.get(role="generator").hit, make_worker(), SKIPPED)
    sweep()
    return Case.objects.get(item=item)


def judge(case: Case, *judgments: Json) -> Case:
    for judgment in judgments:
        content = {"skip": judgment, "verb": None, "frame": None, "arguments": []}
        submit(case.task.hit, make_worker(), content)
    sweep()
    case.refresh_from_db()
    return case


def test_skip_is_published_to_verifiers(case):
    assert (case.state, case.is_empty) == (CaseState.OFFERED, False)
    assert not Gold.objects.exists()
    assert judge(case, VERIFIED).state == CaseState.OFFERED


def test_verified_skip_is_gold(case):
    assert judge(case, VERIFIED, VERIFIED).state == CaseState.VALIDATED
    assert Gold.objects.get().content["skip"] == "no-frame"


def test_disputed_skip_returns_to_its_author(case):
    assert judge(case, VERIFIED, DISPUTED).state == CaseState.REVISING
    assert case.disputes.get().content["skip"] == [
        {"reason": "It is Commerce_sell.", "proposal": ""}
    ]
    assert not Gold.objects.exists()

"""A project on Prolific from publication to gold and payout, with simulated participants."""

import pytest

from annotation.domain.publishing.publish import publish_batch
from annotation.models import Submission
from audit.models import StateChange
from consolidation.models import Gold
from crowd.models import Assignment, Payment, Settlement, Study, StudySession
from tests.prolific.campaign import (
    LABELS,
    Campaign,
    Person,
    label,
    ledger_cents,
    make_project,
    open_settlements,
    wallet_cents,
)


@pytest.mark.parametrize("bonuses", ["at-once", "by-trust"])
def test_campaign_from_publication_to_payout(server, tmp_path, bonuses):
    """With "by-trust", sessions wait until their work has gold."""
    project = make_project(tmp_path, LABELS, bonuses=bonuses)
    publish_batch(project=project, now=server.clock())
    people = [Person(server, label) for _ in range(5)]
    campaign = Campaign(server, people)
    campaign.run()
    if bonuses == "by-trust":
        waited = StateChange.objects.filter(aggregate="annotation.Submission", new="waiting")
        assert waited.count() == 2 * len(LABELS)
    assert Gold.objects.filter(item__project=project).count() == len(LABELS)
    campaign.settle()
    assert set(Assignment.objects.values_list("state", flat=True)) == {"approved"}
    assert set(Payment.objects.values_list("state", flat=True)) == {"confirmed"}
    assert open_settlements() == 0
    assert ledger_cents() == wallet_cents(server)
    assert Submission.objects.filter(role="generator").count() == 2 * len(LABELS)
    assert Settlement.objects.exists()
    assert Study.objects.count() == 2
    for session in StudySession.objects.all():
        assert session.state in ("approved", "returned")


def test_session_whose_work_is_never_consolidated_is_paid(server, tmp_path):
    """Its work is approved after the hours of its batch, before Prolific's own limit of 21 days."""
    project = make_project(tmp_path, LABELS, bonuses="by-trust")
    publish_batch(project=project, now=server.clock())
    person = Person(server, label)
    campaign = Campaign(server, [])
    campaign.sweep(times=3)
    done = person.take_part(Study.objects.get().external_id)
    campaign.sweep(minutes=60, times=3)
    assert set(Submission.objects.values_list("state", flat=True)) == {"waiting"}
    assert not Payment.objects.exists()
    campaign.settle()
    assert set(Submission.objects.values_list("state", flat=True)) == {"accepted"}
    assert set(Payment.objects.values_list("state", flat=True)) == {"confirmed"}
    assert Payment.objects.filter(kind="reward").count() == done
    assert StudySession.objects.get().state == "approved"
    assert ledger_cents() == wallet_cents(server)
    assert open_settlements() == 0

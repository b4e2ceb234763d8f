"""A project on Prolific from publication to gold and payout, with simulated participants."""

from annotation.domain.publish import publish_batch
from annotation.models import Submission
from consolidation.models import Gold
from crowd.models import Assignment, Payment, Settlement, Study, StudySession
from tests.prolific.campaign import (
    LABELS,
    Campaign,
    Person,
    label,
    ledger_cents,
    open_settlements,
    wallet_cents,
)


def test_campaign_from_publication_to_payout(server, project):
    publish_batch(project=project, now=server.clock())
    people = [Person(server, label) for _ in range(5)]
    campaign = Campaign(server, people)
    campaign.run()
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

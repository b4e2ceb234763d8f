"""A site that is restored from a backup in the middle of a study finishes its sessions and pays once."""

from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.domain.publishing.publish import publish_batch
from annotation.models import Submission
from consolidation.models import Gold
from crowd.domain.provider.hold_publishing import active_hold
from crowd.models import Assignment, Payment, Settlement, Study, StudySession
from operations.domain.restore_backup import restore_backup
from operations.domain.write_backup import write_backup
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

pytestmark = pytest.mark.slow


@pytest.fixture
def folders(settings, tmp_path) -> Path:
    for name in ("MEDIA_ROOT", "EXPORT_DIR", "IMAGE_DIR", "UPLOAD_DIR"):
        setattr(settings, name, tmp_path / name.lower())
    return tmp_path


def test_restored_site_finishes_its_sessions_and_pays_once(transactional_db, folders, server):
    project = make_project(folders, LABELS, bonuses="by-trust")
    publish_batch(project=project, now=server.clock())
    campaign = Campaign(server, [])
    campaign.sweep(times=3)
    study = Study.objects.get().external_id
    finished, working = Person(server, label), Person(server, label)
    assert finished.take_part(study)
    session = working.arrive(study)
    working.work(working.next_task(session))
    campaign.sweep()
    begun = Submission.objects.count()
    assert StudySession.objects.exclude(state__in=["approved", "returned"]).count() == 2

    backup = folders / "backup.zip"
    write_backup(path=backup, now=server.clock())
    call_command("flush", interactive=False, verbosity=0)
    restore_backup(path=backup, now=server.clock())
    assert active_hold()
    call_command("recover_hits")
    assert active_hold() is None

    assert Submission.objects.count() == begun
    while task := working.next_task(session):
        working.work(task)
    working.finish(session)
    others = [Person(server, label) for _ in range(4)]
    campaign = Campaign(server, [finished, working, *others])
    campaign.run()
    campaign.settle()
    project.refresh_from_db()
    assert Gold.objects.filter(item__project=project).count() == len(LABELS)
    assert set(Assignment.objects.values_list("state", flat=True)) == {"approved"}
    assert set(Payment.objects.values_list("state", flat=True)) == {"confirmed"}
    assert set(StudySession.objects.values_list("state", flat=True)) <= {"approved", "returned"}
    assert Submission.objects.filter(role="generator").count() == 2 * len(LABELS)
    assert Settlement.objects.exists()
    assert open_settlements() == 0
    assert ledger_cents() == wallet_cents(server)
    assert Study.objects.count() == 2

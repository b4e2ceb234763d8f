"""Values issued under an earlier SECRET_KEY stay valid while it is in SECRET_KEY_FALLBACKS."""

import json
import zipfile
from contextlib import suppress

import pytest
from django.db import transaction

from annotation.domain.publishing.publish import TaskPlan, public_id_of, token_of
from annotation.domain.work.worker_page import InvalidPageError, PageToken, page_token_of
from crowd.domain.provider.event_addresses import destination
from crowd.domain.provider.site_key import site_key
from crowd.domain.workers.pseudonyms import foreign_pseudonym
from crowd.domain.workers.register_worker import pseudonymised_id, register_worker
from crowd.models import Worker
from marketplace.domain import vault
from marketplace.domain.questions.submit_tokens import read_submit_token, submit_token
from operations.domain.write_backup import write_backup
from tests.annotation.factories import make_item, make_project, make_task
from tests.crowd.factories import NOW, make_worker
from tests.operations.manage import manage

OLD, NEW = "an earlier key of this site " * 3, "the present key of this site " * 3
CLAIM = PageToken("a", "b", "c")


@pytest.fixture
def rotate(settings):
    """Return a function that changes the key, with or without the earlier one as a fallback."""
    settings.SECRET_KEY = OLD

    def change(*, fallback: bool = True) -> None:
        settings.SECRET_KEY = NEW
        settings.SECRET_KEY_FALLBACKS = [OLD] if fallback else []

    return change


def test_setting_is_read(embedded_site):
    env = {**embedded_site, "SECRET_KEY": NEW, "SECRET_KEY_FALLBACKS": f"{OLD},{OLD}2"}
    program = "from django.conf import settings; print(len(settings.SECRET_KEY_FALLBACKS))"
    assert manage(env, "shell", "-v0", "-c", program).strip() == "2"


def test_page_token(rotate):
    token = CLAIM.token()
    rotate()
    assert page_token_of(token) == CLAIM
    rotate(fallback=False)
    with pytest.raises(InvalidPageError):
        page_token_of(token)


def test_submit_token_of_the_marketplace(rotate):
    token = submit_token(assignment_code="A", worker_code="W")
    rotate()
    assert read_submit_token(token) == ("A", "W")
    rotate(fallback=False)
    assert read_submit_token(token) is None


def test_secret_of_an_access_key(rotate):
    encrypted = vault.encrypt("secret")
    rotate()
    assert vault.decrypt(encrypted) == "secret"
    rotated = vault.rotate(encrypted)
    rotate(fallback=False)
    assert vault.decrypt(rotated) == "secret"
    with pytest.raises(vault.UnreadableSecretError):
        vault.decrypt(encrypted)


@pytest.mark.django_db
@pytest.mark.parametrize(("fallback", "status"), [(True, 204), (False, 404)])
def test_address_of_notifications(rotate, settings, client, fallback, status):
    settings.MTURK_NOTIFICATIONS = "webhook"
    address = destination().removeprefix(settings.SITE_URL)
    rotate(fallback=fallback)
    body = json.dumps({"EventDocVersion": "2006-05-05", "EventDocId": "one", "Events": []})
    assert client.post(address, body, content_type="application/json").status_code == status
    assert address != destination().removeprefix(settings.SITE_URL)


def test_returning_pseudonymised_worker_is_recognised(rotate, db):
    worker = make_worker()
    external_id = worker.external_id
    worker.external_id = pseudonymised_id(provider=worker.provider, external_id=external_id)
    worker.save()
    rotate()
    assert register_worker(provider=worker.provider, external_id=external_id, now=NOW) == worker
    assert Worker.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("fallback", [True, False])
def test_addresses_of_tasks(rotate, fallback):
    before = public_id_of("ts-token", key=site_key())
    rotate(fallback=fallback)
    assert public_id_of("ts-token", key=site_key()) == before


@pytest.mark.django_db
@pytest.mark.parametrize("fallback", [True, False])
def test_hit_republished_after_a_restore_has_the_same_address(rotate, fallback):
    task = make_task([make_item(make_project())])
    [item] = task.items.all()
    public_id = task.public_id
    rotate(fallback=fallback)
    plan = TaskPlan([item], attempt=0)
    token = token_of(item.project, task.role, plan)
    assert public_id_of(token, key=site_key()) == public_id


@pytest.mark.django_db
@pytest.mark.parametrize("fallback", [True, False])
def test_pseudonyms_in_exports(rotate, fallback):
    foreign_pseudonym.cache_clear()
    before = foreign_pseudonym("A2KJD8S8V3JQXK")
    rotate(fallback=fallback)
    foreign_pseudonym.cache_clear()
    assert foreign_pseudonym("A2KJD8S8V3JQXK") == before


@pytest.mark.django_db
def test_rolled_back_key_is_stored_later(rotate):
    with suppress(ZeroDivisionError), transaction.atomic():
        before = site_key()
        _ = 1 / 0
    assert site_key() == before
    rotate()
    assert site_key() == before


@pytest.mark.django_db
def test_backup_has_the_key(rotate, tmp_path):
    write_backup(path=tmp_path / "backup.zip", now=NOW)
    with zipfile.ZipFile(tmp_path / "backup.zip") as archive:
        assert site_key() in archive.read("data/crowd.SiteKey.jsonl")

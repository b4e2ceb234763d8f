"""Fixtures for a site whose projects can use the Prolific stand-in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.domain.publishing.publish import publish_batch
from crowd.models import Study
from crowd.providers.registry import PROVIDERS
from projects.models import Project
from tests.fakes.prolific import FakeProlific, Options, running_prolific
from tests.prolific.campaign import LABELS, Campaign, check_accounts, connect, make_project
from tests.schemes.labels.scheme import SCHEME

STATIC = Path(__file__).resolve().parents[1] / "schemes" / "labels" / "static"


@pytest.fixture
def site(db: None, settings, monkeypatch) -> None:
    """Register the labels scheme, which is the smallest with all parts."""
    from schemes.registry import SCHEMES

    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, STATIC]
    settings.PROLIFIC_WEBHOOKS = False


@pytest.fixture
def server(site: None, settings, monkeypatch) -> Iterator[FakeProlific]:
    with running_prolific(options=Options(has_links=True)) as server:
        provider = connect(server)
        monkeypatch.setitem(PROVIDERS, "prolific", lambda: provider)
        settings.PROLIFIC_COMPLETION_URL = f"{server.url}/submissions/complete"
        # Pages read the clock themselves.
        monkeypatch.setattr("django.utils.timezone.now", server.clock)
        check_accounts(server.clock)
        yield server


@pytest.fixture
def project(server: FakeProlific, tmp_path: Path) -> Project:
    return make_project(tmp_path, LABELS)


@pytest.fixture
def study(server: FakeProlific, project: Project) -> Study:
    """Publish the study of the project's generators."""
    publish_batch(project=project, now=server.clock())
    campaign = Campaign(server, [])
    campaign.sweep(times=3)
    return Study.objects.get()

"""What the documents of a release say about people, models, training and exclusions."""

from datetime import timedelta

import pytest

from annotation.domain.publishing.withdraw_items import withdraw_items
from annotation.models import Item
from consolidation.models import SystemAnnotation
from projects.models import Project
from releases.domain.build_release import read_file
from releases.models import Release
from tests.crowd.factories import NOW
from tests.dashboard.campaign import CONTENT, Campaign, make_project
from tests.model_annotators.factories import make_model
from tests.releases.projects import make_release

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]


@pytest.fixture
def campaign() -> Campaign:
    return Campaign(make_project(), 12)


def text_of(release: Release, name: str) -> str:
    return read_file(release, name).decode()


def test_models_and_programs_are_named_with_their_settings(campaign):
    project = campaign.project
    model = make_model(project)
    for name in (model.name, "parser 2"):
        SystemAnnotation.objects.create(
            item=campaign.items[3], system=name, content=CONTENT, schema_version=1, imported_at=NOW
        )
    release = make_release(project, source="")
    card = text_of(release, "README.md")
    assert f"- {model.name} ({model.model}, temperature {model.temperature})" in card
    assert "- parser 2\n" in card
    assert "parser 2" in text_of(release, "croissant.json")


def test_countries_of_workers_are_in_the_data_statement(campaign):
    requirement = {"system": "locale", "comparator": "In", "locales": ["CA", "US"]}
    Project.objects.filter(pk=campaign.project.pk).update(worker_requirements=[requirement])
    project = Project.objects.get(pk=campaign.project.pk)
    statement = text_of(make_release(project, source=""), "DATA_STATEMENT.md")
    assert "Work was offered in these countries: CA, US." in statement


def test_pay_and_agreement_are_in_the_card_and_the_datasheet(campaign):
    release = make_release(campaign.project, source="")
    for name in ("README.md", "DATASHEET.md"):
        text = text_of(release, name)
        assert "Pay per hour of active time" in text
        assert "Agreement of two annotators before consolidation" in text
        assert "per item with gold" in text


def test_withdrawn_items_are_in_the_manifest_with_their_reason(campaign):
    item = campaign.items[3]
    withdraw_items(
        items=Item.objects.filter(pk=item.pk), reason="Private data.", actor="rita", now=NOW
    )
    release = make_release(campaign.project, source="", now=NOW + timedelta(days=1))
    assert release.manifest["withdrawn"] == [
        {"key": item.key, "day": f"{NOW:%Y-%m-%d}", "reason": "Private data."}
    ]
    assert not release.items.filter(key=item.key).exists()
    assert "withdrawn and are left out: 1." in text_of(release, "DATASHEET.md")


def test_simulated_work_is_marked(campaign):
    Project.objects.filter(pk=campaign.project.pk).update(has_simulated_work=True)
    project = Project.objects.get(pk=campaign.project.pk)
    release = make_release(project, source="")
    assert "**Simulated data.**" in text_of(release, "README.md")
    assert release.manifest["simulated"] is True


def test_guidelines_are_complete(campaign):
    release = make_release(campaign.project, source="")
    newest = campaign.project.guidelines.get(role="generator")
    assert text_of(release, f"guidelines/generator-{newest.version}.md") == newest.text

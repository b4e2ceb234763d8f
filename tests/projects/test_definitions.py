import re

import pytest
from django.template import Context, Template
from django.urls import reverse
from django.utils.html import escape

from consolidation.domain.gold.add_gold import add_gold
from projects.definitions import DEFINITIONS
from schemes.registry import get_scheme
from tests.consolidation.experts import make_queue
from tests.dashboard.campaign import CONTENT, START
from tests.qualification.factories import make_evaluated

pytestmark = pytest.mark.django_db


def render_template(source: str) -> str:
    return Template("{% load figures %}" + source).render(Context())


@pytest.mark.parametrize("name", DEFINITIONS)
def test_label_has_a_button_for_its_definition(name):
    page = render_template(f'{{% figure "{name}" %}}')
    target = re.search(r'popovertarget="([^"]+)"', page)[1]
    assert f'id="{target}" popover>{DEFINITIONS[name].text[:20]}' in page
    assert DEFINITIONS[name].text.endswith(".")


def test_repeated_definitions_have_their_own_ids():
    page = render_template(
        '{% figure "spent" %}{% figure "spent" %}{% figure_fact "spent" "$1.00" %}'
    )
    ids = re.findall(r' id="([^"]+)"', page)
    assert ids == ["about-spent", "about-spent-2", "about-spent-3"]


@pytest.mark.parametrize(
    ("route", "name"),
    [
        ("dashboard:project", "reserved"),
        ("datasets:costs", "reserved"),
        ("annotation:publish", "expected_per_item"),
        ("datasets:agreement", "interval"),
        ("datasets:quality", "compared_items"),
        ("consolidation:experts", "expert_left"),
        ("qualification:worker", "mean_time"),
    ],
)
def test_pages_explain_their_figures(admin_client, campaign, route, name):
    gold = campaign.items[3].gold.get()
    add_gold(item=gold.item, source="expert", content=CONTENT, provenance=[], now=START)
    make_queue(campaign.project, campaign.items)
    more = [campaign.workers[0].pseudonym] if route == "qualification:worker" else []
    url = reverse(route, args=[campaign.project.slug, *more])
    page = admin_client.get(url).content.decode()
    assert DEFINITIONS[name].text in page
    ids = re.findall(r' id="(about-[^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_pages_explain_the_figures_of_the_scheme(admin_client, campaign):
    figures = get_scheme(campaign.project.scheme).comparison.figures
    url = reverse("datasets:agreement", args=[campaign.project.slug])
    page = admin_client.get(url).content.decode()
    for figure in figures:
        assert escape(figure.explanation) in page


def test_trainee_page_explains_its_figures(admin_client):
    enrolment = make_evaluated()
    arguments = [enrolment.round.project.slug, enrolment.round_id, enrolment.worker.pseudonym]
    page = admin_client.get(reverse("qualification:trainee", args=arguments)).content.decode()
    assert DEFINITIONS["seconds_per_item"].text in page

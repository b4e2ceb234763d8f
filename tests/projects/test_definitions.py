import re

import pytest
from django.template import Context, Template
from django.urls import reverse

from projects.definitions import DEFINITIONS
from tests.dashboard.campaign import make_project

pytestmark = pytest.mark.django_db


def rendered(source: str) -> str:
    return Template("{% load figures %}" + source).render(Context())


@pytest.mark.parametrize("name", DEFINITIONS)
def test_label_has_a_button_for_its_definition(name):
    page = rendered(f'{{% figure "{name}" %}}')
    target = re.search(r'popovertarget="([^"]+)"', page)[1]
    assert f'id="{target}" popover>{DEFINITIONS[name].text[:20]}' in page
    assert DEFINITIONS[name].text.endswith(".")


def test_repeated_definitions_have_their_own_ids():
    page = rendered('{% figure "spent" %}{% figure "spent" %}{% figure_fact "spent" "$1.00" %}')
    ids = re.findall(r' id="([^"]+)"', page)
    assert ids == ["about-spent", "about-spent-2", "about-spent-3"]


def test_pages_explain_their_figures(admin_client):
    project = make_project()
    for route in ("dashboard:project", "datasets:costs"):
        page = admin_client.get(reverse(route, args=[project.slug])).content.decode()
        assert DEFINITIONS["reserved"].text in page

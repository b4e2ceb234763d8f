"""Test of the links on all pages of a project."""

import re
from urllib.parse import urljoin, urlsplit

import pytest

from tests.dashboard.campaign import Campaign, make_project
from tests.hostile.routes import routes

LINK = re.compile(r'<a\b[^>]*\bhref="([^"#?]+)', re.DOTALL)


@pytest.mark.django_db
def test_no_link_leads_to_an_error(admin_client, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    project = make_project()
    Campaign(project, 4)
    links = {}
    for address in routes(project):
        response = admin_client.get(address)
        body = response.getvalue()
        if response.status_code == 200 and response["Content-Type"].startswith("text/html"):
            links |= {urljoin(address, link): address for link in LINK.findall(body.decode())}
    internal = {link: page for link, page in links.items() if not urlsplit(link).netloc}
    assert len(internal) > 100
    statuses = {}
    for link in internal:
        response = admin_client.get(link)
        response.getvalue()  # closes the file of a streamed response
        statuses[link] = response.status_code
    assert {link: internal[link] for link, status in statuses.items() if status >= 400} == {}

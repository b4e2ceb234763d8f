"""The interactive API page, whose third-party scripts run under the site's content security policy."""

import pytest
from playwright.sync_api import expect

from annotation.models import Batch
from tests.axe import axe_findings
from tests.dashboard.test_in_browser import NARROW, WIDE, overflow

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def open_page(chromium, live_server, settings, requester, client):
    settings.ALLOWED_HOSTS = ["*"]
    client.force_login(requester)
    complaints: list[str] = []
    contexts = []

    def open_tab(viewport):
        context = chromium.new_context(base_url=live_server.url, viewport=viewport)
        contexts.append(context)
        cookie = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        context.on("console", lambda message: complaints.append(message.text))
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        return context.new_page()

    yield open_tab
    for context in contexts:
        context.close()
    assert complaints == []


def test_operations_are_listed_and_can_be_tried_with_the_session(open_page, campaign):
    page = open_page(WIDE)
    page.goto("/api/docs/")
    page.locator("#operations-tag-batches").click()
    block = page.locator("#operations-batches-pause_batch")
    block.locator(".opblock-summary-control").click()
    block.get_by_role("button", name="Try it out").click()
    batch = campaign.batches["generator"]
    block.locator("tr[data-param-name=id] input").fill(str(batch.pk))
    block.locator("tr[data-param-name=slug] input").fill("demo")
    block.get_by_role("button", name="Execute").click()
    expect(block.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    assert Batch.objects.get(pk=batch.pk).state == "paused"


def test_operations_fit_a_narrow_screen(open_page, project):
    page = open_page(NARROW)
    page.goto("/api/docs/")
    page.locator("#operations-tag-batches").click()
    expect(page.locator(".opblock")).not_to_have_count(0)
    assert overflow(page) <= 0
    assert axe_findings(page) == []

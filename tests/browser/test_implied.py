"""An expert marks which arguments are only implied, on the page for annotation."""

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, expect

from annotation.models import Submission
from consolidation.models import Gold
from projects.enums import MemberRole
from tests.axe import axe_findings
from tests.browser.work import ask, open_task, press
from tests.consolidation.experts import make_queue
from tests.consolidation.factories import SURVEY, make_item, make_project, span_of
from tests.dashboard.campaign import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("asks", [True, False])
def test_expert_marks_an_implied_argument(chromium: Browser, live_server, settings, asks):
    settings.ALLOWED_HOSTS = ["*"]
    project = make_project()
    project.asks_implied = asks
    project.save()
    item = make_item(SURVEY, SURVEY.index("contain"), project)
    queue = make_queue(project, [item], kind="annotate", sources=(), makes_gold=True)
    client = Client()
    client.force_login(make_user("expert", project, MemberRole.EXPERT))
    cookie = client.cookies["sessionid"].value
    with chromium.new_context() as context:
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        page = context.new_page()
        address = reverse("consolidation:expert_item", args=[project.slug, queue.queued.get().pk])
        open_task(page, f"{live_server.url}{address}")
        start, end = span_of(SURVEY, "that basin")
        ask(page, 1, "What might contain something?", (start, end - 1))
        toggle = page.get_by_role("button", name="Implied: ").first
        if asks:
            toggle.focus()
            press(page, "Enter")
            expect(toggle).to_have_attribute("aria-pressed", "true")
            assert axe_findings(page) == []
        else:
            expect(toggle).to_be_hidden()
        press(page, "Control+Enter")
        expect(page.get_by_text("There are no more items for you in this queue")).to_be_visible()
    [question] = Submission.objects.get().content["questions"]
    assert question.get("implied") == (True if asks else None)
    [question] = Gold.objects.get().content["questions"]
    assert question.get("implied") == (True if asks else None)

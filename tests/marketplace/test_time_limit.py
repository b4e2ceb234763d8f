"""The time limit on the page of a HIT: a warning, more time, and the end, around a task of this site."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Draft
from marketplace.domain.work.extend_time import MAX_EXTENSIONS
from marketplace.models import Assignment
from tests.annotation.factories import make_item, make_project, make_task
from tests.announcements import announcements, observe_announcements
from tests.axe import axe_findings
from tests.browser.work import AGENT, ask, box, ready

from .conftest import log_in_as, question
from .question_forms import FORM

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def open_hit(page, site, worker, publish, settings):
    """Return a function that accepts a HIT and opens its page, with a clock that tests move."""
    settings.SITE_URL = site
    settings.MTURK_WORKER_ORIGINS = [site]

    def open_hit(question_xml: str, seconds: int = 3600) -> Page:
        publish(Question=question_xml, AssignmentDurationInSeconds=seconds)
        page.clock.install()
        log_in_as(page, site, worker)
        page.goto(f"{site}/hits/")
        page.get_by_role("button", name="Accept one").click()
        page.wait_for_url("**/hits/work/*/")
        return page

    return open_hit


@pytest.fixture
def hit(open_hit, site) -> Page:
    """Open a HIT of an hour, whose frame has a task of this site."""
    task = make_task([make_item(make_project())])
    page = open_hit(question(f"{site}/generate/{task.public_id}/"))
    ready(frame_of(page))
    return page


def frame_of(page: Page):
    frame = page.locator("iframe#task").element_handle().content_frame()
    assert frame
    return frame


def warning(page: Page):
    return page.locator("[data-time-warning]")


def test_end_of_the_time_is_announced_before_and_can_be_put_off(hit):
    observe_announcements(hit)
    hit.clock.fast_forward(53 * 60_000)
    expect(warning(hit)).to_be_hidden()
    assert announcements(hit) == []
    hit.clock.run_for(61_000)
    expect(warning(hit)).to_contain_text("05:5")
    assert announcements(hit) == ["6 minutes left. Button below the task: Add 15 minutes."]
    assert axe_findings(hit) == []
    before = Assignment.objects.get().deadline_at
    hit.locator("iframe#task").focus()
    hit.get_by_role("button", name="Add 15 minutes").click()
    expect(warning(hit)).to_be_hidden()
    assert announcements(hit)[-1].startswith("More time was added. ")
    assert hit.evaluate("document.activeElement.id") == "task"
    assert (Assignment.objects.get().deadline_at - before).total_seconds() == 15 * 60


def test_last_extension_leaves_a_warning_without_a_button(hit):
    Assignment.objects.update(extensions=MAX_EXTENSIONS - 1)
    hit.reload()
    hit.clock.run_for(55 * 60_000)
    hit.get_by_role("button", name="Add 15 minutes").click()
    expect(hit.get_by_role("button", name="Add 15 minutes")).to_have_count(0)
    observe_announcements(hit)
    hit.clock.fast_forward(69 * 60_000)
    hit.clock.run_for(60_000)
    expect(warning(hit)).to_be_visible()
    assert announcements(hit)[0].endswith("left. Submit before the time is over.")


def test_work_after_the_end_is_readable_and_neither_saved_nor_submitted(hit):
    frame = frame_of(hit)
    ask(frame, 1, AGENT, (0, 1))
    hit.clock.run_for(3000)
    expect(frame.locator("[data-status]")).to_have_text("Saved")
    observe_announcements(hit)
    hit.clock.run_for(60 * 60_000)
    expect(hit.get_by_role("alert")).to_contain_text("The time for this task is over.")
    assert announcements(hit)[-1].startswith("The time for this task is over.")
    expect(frame.locator("[data-status]")).to_have_text("The time is over")
    expect(frame.locator("[data-banner]")).to_contain_text("isn't saved or submitted")
    expect(box(frame, 1)).to_have_value(AGENT)
    expect(box(frame, 1)).to_be_disabled()
    expect(frame.get_by_role("button", name="Submit")).to_be_disabled()
    revision = Draft.objects.get().revision
    hit.clock.run_for(10_000)
    assert Draft.objects.get().revision == revision


def test_form_of_the_marketplace_warns_and_ends_too(open_hit):
    page = open_hit(FORM, 600)
    observe_announcements(page)
    page.clock.run_for(301_000)
    assert announcements(page) == ["5 minutes left. Button below the task: Add 5 minutes."]
    page.clock.run_for(300_000)
    expect(page.get_by_role("alert")).to_contain_text("The time for this task is over.")
    expect(page.get_by_role("button", name="Submit answers")).to_be_disabled()


def test_setting_of_shortcuts_survives_in_a_frame_without_storage(hit):
    frame = frame_of(hit)
    assert frame.evaluate("window.origin") == "null"
    # The page of this role has no list of shortcuts, and the setting is the same for all roles.
    frame.evaluate(
        """() => {
            const box = document.createElement("input");
            Object.assign(box, {type: "checkbox", checked: true});
            box.dataset.singleKeys = "";
            document.body.append(box);
            box.click();
        }"""
    )
    hit.reload()
    frame = ready(frame_of(hit))
    expect(frame.locator("html")).to_have_attribute("data-single-keys", "off")

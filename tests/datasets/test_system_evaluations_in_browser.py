"""An evaluation of two systems in a real browser, by keyboard, from the upload to the downloads."""

import csv
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Locator, Page, expect

from datasets.domain.systems.evaluate_systems import evaluations_of
from jobs.tasks import run_jobs
from projects.models import Project
from tests.axe import LOOKS, axe_findings
from tests.datasets.systems import export_sample, make_sample, system_output

Site = Callable[..., AbstractContextManager[Page]]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def boss(live_server, settings, job_files) -> str:
    """Return the session key of a superuser."""
    settings.ALLOWED_HOSTS = ["*"]
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("boss"))
    return client.cookies["sessionid"].value


@pytest.fixture
def site(chromium: Browser, live_server, boss) -> Site:
    """Return a context manager that opens a page for a signed-in superuser."""

    @contextmanager
    def open_page(**options: object) -> Iterator[Page]:
        with chromium.new_context(base_url=live_server.url, **options) as context:
            context.add_cookies([{"name": "sessionid", "value": boss, "url": live_server.url}])
            yield context.new_page()

    return open_page


@pytest.fixture
def sample(boss, request) -> Project:
    return make_sample(getattr(request, "param", "qasrl"))


@pytest.fixture
def systems(sample, tmp_path) -> list[Path]:
    """Return the output files of two systems."""
    gold = export_sample(sample, tmp_path / "gold")
    paths = []
    for name, share in (("joint-parser", 0.9), ("baseline", 0.4)):
        path = tmp_path / f"{name}{gold.suffix}"
        path.write_text(system_output(sample, gold, seed=1, share=share), "utf-8")
        paths.append(path)
    return paths


def tab_to(page: Page, control: Locator) -> None:
    """Move the focus to the control with the Tab key."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if control.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("the control can't be reached by keyboard")


def test_two_systems_by_keyboard(site: Site, sample, systems):
    with site(accept_downloads=True) as page:
        page.goto(reverse("datasets:systems", args=[sample.slug]))
        field = page.get_by_label("Systems", exact=True)
        tab_to(page, field)
        # The browser's own dialog is not part of the page.
        field.set_input_files(systems)
        tab_to(page, page.get_by_role("button", name="Evaluate"))
        page.keyboard.press("Enter")
        expect(page.get_by_text("The evaluation is in progress")).to_be_visible()
        run_jobs()
        # The page updates itself.
        table = page.get_by_role("region", name="Figures of the systems")
        expect(table.get_by_role("row", name="joint-parser")).to_be_visible()
        result = evaluations_of(sample).get().result
        for system in result["systems"]:
            row = table.get_by_role("row", name=system["name"])
            expect(row).to_contain_text(f"{100 * system['figures']['la_f1']['value']:.2f}")
        differences = page.get_by_role("region", name="Differences between systems")
        [ua, _] = result["differences"]
        row = differences.get_by_role("row").nth(1)
        expect(row).to_contain_text(f"{100 * ua['value']:+.2f}")
        words = page.get_by_role("region", name="By question word")
        expect(words.get_by_role("row", name="who")).to_be_visible()
        for image in page.get_by_role("main").get_by_role("img").all():
            assert image.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
        tab_to(page, page.get_by_role("link", name="figures.csv"))
        with page.expect_download() as download:
            page.keyboard.press("Enter")
        text = download.value.path().read_text("utf-8")
        rows = list(csv.DictReader(text.splitlines()))
        assert [row["system"] for row in rows] == ["joint-parser", "baseline"]


# Custom schemes have no page of evaluations.
@pytest.mark.parametrize("sample", ["qasrl", "frames", "grounding"], indirect=True)
@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_are_accessible_and_do_not_overflow(site: Site, sample, systems, look):
    width, scheme = look
    viewport = {"width": width, "height": 800}
    with site(viewport=viewport, color_scheme=scheme) as page:
        page.goto(reverse("datasets:systems", args=[sample.slug]))
        check(page)
        page.get_by_label("Systems", exact=True).set_input_files(systems)
        page.get_by_role("button", name="Evaluate").click()
        run_jobs()
        expect(page.get_by_role("heading", name="Downloads")).to_be_visible()
        check(page)
        page.get_by_label("breadcrumb").get_by_role("link", name="Systems").click()
        expect(page.get_by_role("link", name="Evaluation of joint-parser")).to_be_visible()
        check(page)


def check(page: Page) -> None:
    assert axe_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0

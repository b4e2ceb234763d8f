"""A benchmark in a real browser: opened by staff, entered by a participant, and read on a phone."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from benchmarks.models import Benchmark
from jobs.tasks import run_jobs
from projects.enums import MemberRole
from releases.models import Release
from tests.axe import LOOKS, axe_findings
from tests.benchmarks.samples import (
    gold_text,
    make_account,
    make_benchmark,
    make_team,
    phase_of,
    predictions,
    send,
)
from tests.consolidation.test_experts_in_browser import NARROW, signed_in
from tests.dashboard.campaign import make_user
from tests.releases.projects import make_release, make_sample_project

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["signed_in"]
PHONE = {"viewport": NARROW, "has_touch": True, "is_mobile": True}


def check(page: Page) -> None:
    page.wait_for_load_state()
    assert axe_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.fixture
def release(job_files, tmp_path) -> Release:
    return make_release(make_sample_project("frames", tmp_path))


def test_benchmark_from_its_opening_to_the_leaderboard(signed_in, release, tmp_path):
    project = release.project
    admin = make_user("ada", project, MemberRole.ADMIN)
    with signed_in(admin) as page:
        page.goto(reverse("releases:release_details", args=[project.slug, release.version]))
        page.get_by_role("link", name="Benchmark").press("Enter")
        page.get_by_role("link", name="Open a benchmark").press("Enter")
        page.get_by_label("Rules").fill("Be fair.")
        page.get_by_role("button", name="Open benchmark").press("Enter")
        expect(page.get_by_text("The benchmark is open.")).to_be_visible()
        check(page)
    benchmark = Benchmark.objects.get()
    gold = gold_text(phase_of(benchmark), tmp_path / "gold")
    right = written(tmp_path / "right.txt", predictions("frames", gold))
    wrong = written(tmp_path / "wrong.txt", "".join(gold.splitlines(keepends=True)[1:]))
    with signed_in(make_account("ann"), **PHONE) as page:
        page.goto(reverse("benchmarks:public_benchmarks"))
        page.get_by_role("link", name=benchmark.title).tap()
        expect(page.get_by_role("heading", name=benchmark.title, level=1)).to_be_visible()
        check(page)
        page.get_by_role("link", name="Take part").tap()
        page.get_by_label("Team name").fill("Parsers")
        page.get_by_role("button", name="Register team").tap()
        expect(page.get_by_role("heading", name="Parsers")).to_be_visible()
        for path, system in ((wrong, "Wrong"), (right, "Right")):
            page.get_by_label("System", exact=True).fill(system)
            page.get_by_label("Predictions").set_input_files(path)
            page.get_by_role("button", name="Send entry").tap()
            expect(page.get_by_text("The file is received.")).to_be_visible()
        run_jobs()
        # The list refreshes itself.
        expect(page.get_by_text("Scored", exact=True)).to_be_visible(timeout=15_000)
        expect(page.get_by_text("1 item is missing")).to_be_visible()
        check(page)
        page.get_by_role("link", name="Right").tap()
        expect(page.get_by_role("table", name="Scores")).to_be_visible()
        check(page)
        page.get_by_role("link", name="Parsers").tap()
        page.get_by_role("link", name="Leaderboard").tap()
        row = page.get_by_role("row", name="Parsers")
        expect(row.get_by_role("rowheader")).to_contain_text("Right")
        # The ranking measure is beside the name of the team.
        expect(page.get_by_role("columnheader").nth(2)).to_have_text("BCubed F")
        check(page)


def written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def ended(job_files, tmp_path) -> Benchmark:
    """Return a benchmark whose development phase has ended, with two systems."""
    now = timezone.now()
    benchmark = make_benchmark("frames", tmp_path, now=now)
    phase = phase_of(benchmark)
    gold = gold_text(phase, tmp_path / "gold")
    for name, share in (("Strong", 0.9), ("Weak", 0.2)):
        text = predictions("frames", gold, share=share)
        send(make_team(benchmark, name), phase, text, system=name, now=now)
    phase.ends_at = now - timedelta(seconds=1)
    phase.save()
    return benchmark


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_are_accessible_and_fit_their_width(signed_in, ended, look):
    project, version = ended.release.project, ended.release.version
    admin = make_user("ada", project, MemberRole.ADMIN)
    width, scheme = look
    at = [project.slug, version]
    with signed_in(admin) as page:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        for address in (
            reverse("benchmarks:public_benchmark", args=at),
            f"{reverse('benchmarks:leaderboard', args=at)}?phase=development",
            f"{reverse('benchmarks:leaderboard', args=at)}?phase=test",
            reverse("benchmarks:item_comparison", args=[*at, "development"]),
            reverse("benchmarks:benchmark_team", args=at),
            reverse("benchmarks:benchmark", args=at),
            reverse("benchmarks:edit_benchmark", args=at),
        ):
            page.goto(address)
            check(page)

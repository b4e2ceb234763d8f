"""The marketplace signs the addresses of the site's own pages, and the site checks them."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from crowd.domain.sessions.arrivals import parse_arrival

from .conftest import accept, framed, mturk_client, question

PAGE = "/generate/00000000-0000-4000-8000-000000000000/"


@pytest.fixture
def own_hit(site, settings) -> dict:
    settings.SITE_URL = settings.MARKETPLACE_URL = site
    settings.MTURK_IS_OURS = True
    settings.MTURK_WORKER_ORIGINS = [site]
    key = (settings.MTURK_ACCESS_KEY_ID, settings.MTURK_SECRET_ACCESS_KEY)
    settings.MARKETPLACE_BUILTIN_KEY = key
    return mturk_client(site, *key).create_hit(
        Title="t",
        Description="d",
        Reward="0.05",
        AssignmentDurationInSeconds=600,
        LifetimeInSeconds=3600,
        Question=question(site + PAGE),
    )["HIT"]


def arrival(address: str, **changes: str):
    parts = urlsplit(address)
    return parse_arrival(parts.path, dict(parse_qsl(parts.query)) | changes)


def test_site_recognizes_the_worker_who_accepted_its_task(own_hit, browser, worker):
    assignment = accept(browser, own_hit)
    address = framed(browser.get(f"/hits/work/{assignment}/"))
    signed = arrival(address)
    assert (signed.assignment, signed.worker, signed.is_signed) == (assignment, worker.code, True)


def test_signature_counts_for_its_page_assignment_and_worker_only(own_hit, browser, settings, site):
    address = framed(browser.get(f"/hits/work/{accept(browser, own_hit)}/"))
    other = PAGE.replace("8000", "8001")
    assert not arrival(address.replace(PAGE, other)).is_signed
    assert not arrival(address, assignmentId="3OTHER").is_signed
    assert not arrival(address, workerId="AOTHER").is_signed
    assert not arrival(address, frameSignature="").is_signed
    settings.MTURK_SECRET_ACCESS_KEY = "the secret of another site"
    assert not arrival(address).is_signed


def test_previews_and_other_requesters_pages_are_not_signed(own_hit, browser, publish, site):
    preview = framed(browser.get(f"/hits/groups/{own_hit['HITTypeId']}/"))
    # Another requester may show a page of this site, and must get no signature for it.
    theirs = publish(Question=question(site + PAGE))
    page = framed(browser.get(f"/hits/work/{accept(browser, theirs)}/"))
    for address in (preview, page):
        assert "frameSignature" not in address
    assert not arrival(page).is_signed


def test_other_marketplaces_sign_nothing(own_hit, browser, settings):
    address = framed(browser.get(f"/hits/work/{accept(browser, own_hit)}/"))
    settings.MTURK_IS_OURS = False
    assert not arrival(address).is_signed

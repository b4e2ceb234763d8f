"""Tests of HITs whose pages were published under another address of this site."""

import pytest

from .conftest import accept, framed, mturk_client, question

OLD = "http://127.0.0.1:7999/tasks/generate/key/?lang=en"


@pytest.fixture
def own_key(settings) -> tuple[str, str]:
    settings.MARKETPLACE_BUILTIN_KEY = ("TSHOUSE0123456789ABC", "a secret")
    return settings.MARKETPLACE_BUILTIN_KEY


def test_own_hits_open_at_the_present_address_after_a_move(own_key, site, settings, browser):
    settings.SITE_URL = site
    mturk = mturk_client(site, *own_key)
    hit = mturk.create_hit(
        Title="t",
        Description="d",
        Reward="0.05",
        AssignmentDurationInSeconds=600,
        LifetimeInSeconds=3600,
        Question=question(OLD),
    )["HIT"]
    preview = browser.get(f"/hits/groups/{hit['HITTypeId']}/")
    work = browser.get(f"/hits/work/{accept(browser, hit)}/")
    for page in (preview, work):
        assert framed(page).startswith(f"{site}/tasks/generate/key/?lang=en&")
        assert f"frame-src {site}" in page.headers["Content-Security-Policy"]
        assert "allow-same-origin" not in page.content.decode()
    # The requester still gets the address with which the HIT was created.
    assert OLD in mturk.get_hit(HITId=hit["HITId"])["HIT"]["Question"]


def test_pages_of_other_requesters_keep_their_address(own_key, publish, site, settings, browser):
    settings.SITE_URL = site
    hit = publish(Question=question(OLD))
    assert framed(browser.get(f"/hits/work/{accept(browser, hit)}/")).startswith(OLD)

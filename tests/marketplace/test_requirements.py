"""Qualification requirements: comparators, guarded actions and validation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.qualifications.qualifications import system_values
from marketplace.domain.qualifications.requirements import (
    ADULT,
    APPROVAL_RATE,
    COMPARATOR_TEXTS,
    HITS_APPROVED,
    LOCALE,
    check_requirements,
    describe,
    meets,
    unmet,
)
from marketplace.enums import Guarded
from marketplace.models import WorkerAccount

from .conftest import accept, log_in, make_worker


def requires(comparator, *values, code="3Q", **options):
    requirement = {"QualificationTypeId": code, "Comparator": comparator, **options}
    if values:
        name = "LocaleValues" if isinstance(values[0], dict) else "IntegerValues"
        requirement[name] = list(values)
    return requirement


@given(st.integers(-100, 100), st.lists(st.integers(-100, 100), min_size=1, max_size=15))
def test_integer_comparators_agree_with_python(value, values):
    qualifications, bound = {"3Q": value}, values[0]
    assert meets(requires("LessThan", bound), qualifications) == (value < bound)
    assert meets(requires("LessThanOrEqualTo", bound), qualifications) == (value <= bound)
    assert meets(requires("GreaterThan", bound), qualifications) == (value > bound)
    assert meets(requires("GreaterThanOrEqualTo", bound), qualifications) == (value >= bound)
    assert meets(requires("EqualTo", bound), qualifications) == (value == bound)
    assert meets(requires("NotEqualTo", bound), qualifications) == (value != bound)
    assert meets(requires("In", *values), qualifications) == (value in values)
    assert meets(requires("NotIn", *values), qualifications) == (value not in values)
    assert meets(requires("Exists"), qualifications)
    assert not meets(requires("DoesNotExist"), qualifications)


@pytest.mark.parametrize("comparator", sorted(COMPARATOR_TEXTS))
def test_worker_without_the_qualification_meets_only_does_not_exist(comparator):
    values = () if comparator in ("Exists", "DoesNotExist") else (1,)
    assert meets(requires(comparator, *values), {}) == (comparator == "DoesNotExist")


@pytest.mark.parametrize(
    ("comparator", "locales", "met"),
    [
        ("EqualTo", [{"Country": "US"}], True),
        ("EqualTo", [{"Country": "US", "Subdivision": "NY"}], True),
        ("EqualTo", [{"Country": "US", "Subdivision": "CA"}], False),
        ("NotEqualTo", [{"Country": "US"}], False),
        ("In", [{"Country": "GB"}, {"Country": "US"}], True),
        ("In", [{"Country": "GB"}], False),
        ("NotIn", [{"Country": "GB"}], True),
        ("NotIn", [{"Country": "US", "Subdivision": "NY"}], False),
    ],
)
def test_locale_is_compared_by_country_and_subdivision(comparator, locales, met):
    assert meets(requires(comparator, *locales, code=LOCALE), {LOCALE: ("US", "NY")}) == met


@pytest.mark.parametrize(
    ("guard", "kept_from"),
    [
        ({}, {Guarded.ACCEPT}),
        ({"ActionsGuarded": "Accept"}, {Guarded.ACCEPT}),
        ({"RequiredToPreview": True}, {Guarded.ACCEPT, Guarded.PREVIEW}),
        ({"ActionsGuarded": "PreviewAndAccept"}, {Guarded.ACCEPT, Guarded.PREVIEW}),
        ({"ActionsGuarded": "DiscoverPreviewAndAccept"}, set(Guarded)),
    ],
)
def test_guard_applies_to_its_action_and_stronger_ones(guard, kept_from):
    requirement = requires("Exists", **guard)
    assert {act for act in Guarded if unmet([requirement], {}, action=act)} == kept_from


@pytest.mark.parametrize(
    "requirement",
    [
        requires("Exists", 1),
        requires("EqualTo"),
        requires("EqualTo", 1, 2),
        requires("In", *range(16)),
        requires("LessThan", {"Country": "US"}),
        requires("EqualTo", 1, code=LOCALE),
        requires("LessThan", {"Country": "US"}, code=LOCALE),
        requires("EqualTo", {"Country": "US"}, {"Country": "GB"}, code=LOCALE),
        requires("In", *[{"Country": "US"}] * 31, code=LOCALE),
    ],
)
def test_invalid_requirement_is_refused(requirement):
    with pytest.raises(InvalidParameterError, match=r"QualificationRequirements\[1\]"):
        check_requirements([requires("Exists"), requirement])


def test_at_most_ten_requirements():
    check_requirements([requires("Exists")] * 10)
    with pytest.raises(InvalidParameterError):
        check_requirements([requires("Exists")] * 11)


def test_requirement_in_words():
    rate = requires("GreaterThanOrEqualTo", 95, code=APPROVAL_RATE)
    assert describe(rate, {}) == "your approval rate is at least 95 %"
    home = requires("In", {"Country": "US", "Subdivision": "NY"}, {"Country": "GB"}, code=LOCALE)
    assert describe(home, {}) == "your location is one of US-NY, GB"
    assert describe(requires("Exists", code=ADULT), {}) == "you are 18 or older"
    trained = "you have the qualification “Trained”"
    assert describe(requires("Exists"), {"3Q": "Trained"}) == trained
    scored = requires("GreaterThan", 80)
    assert describe(scored, {"3Q": "Trained"}) == f"{trained}, and its value is greater than 80"
    without = "you don't have the qualification “Trained”"
    assert describe(requires("DoesNotExist"), {"3Q": "Trained"}) == without


@pytest.mark.parametrize(
    ("approved", "rejected", "rate"),
    [(0, 0, 100), (50, 49, 100), (95, 5, 95), (94, 6, 94), (1999, 1, 99)],
)
def test_approval_rate_is_computed_from_a_hundred_decisions(approved, rejected, rate):
    worker = WorkerAccount(
        approved_count=approved, rejected_count=rejected, country="US", subdivision="NY"
    )
    qualifications = system_values(worker)
    assert (qualifications[APPROVAL_RATE], qualifications[HITS_APPROVED]) == (rate, approved)
    assert qualifications[LOCALE] == ("US", "NY")
    assert ADULT not in qualifications
    worker.is_adult = True
    assert system_values(worker)[ADULT] == 1


@pytest.mark.django_db
def test_system_qualifications_come_from_the_account(publish, mturk):
    hit = publish(
        QualificationRequirements=[
            requires("GreaterThanOrEqualTo", 95, code=APPROVAL_RATE),
            requires("In", {"Country": "US"}, {"Country": "GB"}, code=LOCALE),
            requires("EqualTo", 1, code=ADULT),
        ]
    )
    careless = make_worker("careless", is_adult=True)
    WorkerAccount.objects.filter(pk=careless.pk).update(approved_count=90, rejected_count=10)
    refused = [careless, make_worker("abroad", country="DE", is_adult=True), make_worker("minor")]
    for worker in refused:
        page = log_in(worker).post(f"/hits/groups/{hit['HITTypeId']}/accept/", follow=True)
        assert "requires qualifications" in page.content.decode()
    accept(log_in(make_worker("good", is_adult=True)), hit)


@pytest.mark.django_db
def test_guards_on_the_pages(publish, mturk, browser):
    pages = {}
    for guard in Guarded:
        hit = publish(
            Title=guard.value,
            QualificationRequirements=[requires("Exists", code=ADULT, ActionsGuarded=guard.value)],
        )
        pages[guard] = f"/hits/groups/{hit['HITTypeId']}/"
    listed = browser.get("/hits/").content.decode()
    assert [page in listed for page in pages.values()] == [True, True, False]
    assert "This task requires that you are 18 or older." in listed
    assert 'id="task"' in browser.get(pages[Guarded.ACCEPT]).content.decode()
    assert 'id="task"' not in browser.get(pages[Guarded.PREVIEW]).content.decode()
    assert browser.get(pages[Guarded.DISCOVER]).status_code == 404
    for page in pages.values():
        assert browser.post(f"{page}accept/").url == "/hits/"


@pytest.mark.django_db
def test_specific_hit_has_the_same_guards(publish, mturk, browser):
    guard = {"ActionsGuarded": "DiscoverPreviewAndAccept"}
    hit = publish(QualificationRequirements=[requires("Exists", code=ADULT, **guard)])
    assert browser.get(f"/hits/{hit['HITId']}/").status_code == 404
    assert browser.post(f"/hits/{hit['HITId']}/accept/").url == "/hits/"
    open_hit = publish()
    assert 'id="task"' in browser.get(f"/hits/{open_hit['HITId']}/").content.decode()
    first, second = (browser.post(f"/hits/{open_hit['HITId']}/accept/").url for _ in range(2))
    assert first == second != "/hits/"

"""The list of HITs on a crowded marketplace: no requester pushes the groups of others out of it."""

from itertools import islice
from random import Random

import pytest
from django.core.cache import cache
from django.utils import timezone

from marketplace.domain.hits.find_groups import (
    MIN_OF_REQUESTER,
    PER_PAGE,
    GroupFilter,
    Position,
    Sort,
    find_groups,
)
from marketplace.domain.qualifications.qualifications import create_type, grant, held_by
from marketplace.domain.qualifications.requirements import (
    ADULT,
    APPROVAL_RATE,
    HITS_APPROVED,
    LOCALE,
    unmet,
)
from marketplace.domain.work import accept_hit
from marketplace.enums import Guarded
from marketplace.models import Assignment, Hit, HitType, SavedSearch, WorkerAccount

from .conftest import log_in, make_worker
from .crowded_site import (
    CROWDING,
    HONEST,
    MERGING,
    PAIRS,
    POOL,
    TITLES,
    add_types,
    all_but,
    create_crowded_site,
    open_requester,
)
from .test_find_groups import titles

pytestmark = pytest.mark.django_db
HONEST_TITLES = {title for group in HONEST.values() for title in group}


@pytest.fixture(autouse=True)
def _no_cached_figures():
    cache.clear()


@pytest.fixture
def crowded(worker):
    return create_crowded_site(worker, make_worker("ben"))


def page_of(worker, position=None, **fields):
    return find_groups(
        worker=worker, wanted=GroupFilter(**fields), now=timezone.now(), position=position
    )


def titles_of(page) -> list[str]:
    return [group.hit_type.title for group in page.groups]


def walk(worker, **fields) -> list[list[str]]:
    """Return the titles on each page, and check that the way back is the same."""
    pages = [page_of(worker, **fields)]
    while following := pages[-1].following:
        pages.append(page_of(worker, following, **fields))
    back = pages[-1]
    for page in reversed(pages[:-1]):
        back = page_of(worker, back.previous, **fields)
        assert titles_of(back) == titles_of(page)
    assert pages[0].previous is None
    return [titles_of(page) for page in pages]


@pytest.mark.parametrize("sort", Sort.values)
def test_all_groups_of_others_are_on_the_first_page(crowded, sort):
    for worker in (crowded.member, crowded.outsider):
        page = page_of(worker, sort=sort)
        assert set(titles_of(page)) > HONEST_TITLES
        assert page.total == len(HONEST_TITLES) + TITLES
        crowding = [group for group in page.groups if group.hit_type.requester.name == CROWDING]
        assert len(crowding) <= PER_PAGE // 4
        assert crowding[-1].left_out == TITLES - len(crowding)
        assert not any(group.left_out for group in page.groups if group not in crowding)


def test_types_that_differ_in_excluded_workers_are_one_group(crowded):
    [group] = page_of(crowded.member, text=MERGING).groups
    # The pairs with the member are those with each other member of the pool.
    assert (group.available, group.lacking) == (PAIRS - (POOL - 1), [])
    [group] = page_of(crowded.outsider, text=MERGING).groups
    assert (group.available, len(group.lacking)) == (PAIRS, 1)
    assert page_of(crowded.outsider, text=MERGING, qualified_only=True).groups == []


def test_rest_of_a_requester_is_reached_by_its_link(crowded):
    browser = log_in(crowded.member)
    first = browser.get("/hits/?sort=reward").content.decode()
    code = HitType.objects.filter(requester__name=CROWDING).latest("pk").requester.code
    link = f"?sort=reward&amp;requester={code}"
    assert f'href="{link}">1,994 more groups of {CROWDING}</a>' in first
    rest = browser.get(f"/hits/{link.replace('&amp;', '&')}")
    assert titles(rest) == [f"Look {number}" for number in range(TITLES - 1, TITLES - 26, -1)]
    page = rest.content.decode()
    assert f'Only tasks of <a href="/hits/requesters/{code}/">{CROWDING}</a>' in page
    assert '<a href="/hits/?sort=reward">Show all requesters</a>' in page
    assert 'rel="next"' in page
    listed = walk(crowded.member, requester=code)
    assert sum(map(len, listed)) == TITLES
    assert page_of(crowded.member, requester="3UNKNOWN").total == 0


def test_single_requester_has_all_groups_in_the_list(worker):
    add_types(open_requester("lab"), [{"title": f"Task {number}"} for number in range(60)])
    assert [len(page) for page in walk(worker)] == [25, 25, 10]


@pytest.mark.parametrize(("others", "expected"), [(1, 12), (2, 8), (9, MIN_OF_REQUESTER)])
def test_requesters_divide_a_page_evenly(worker, others, expected):
    for number in range(others):
        add_types(open_requester(f"lab {number}"), [{"title": f"Small task {number}"}])
    add_types(open_requester("large lab"), [{"title": f"Task {number}"} for number in range(60)])
    shown = titles_of(page_of(worker))
    assert len(shown) == expected + others
    assert len(set(shown)) == len(shown)


def test_list_that_fits_one_page_is_whole(worker):
    add_types(open_requester("small lab"), [{"title": "Small task"}])
    add_types(open_requester("large lab"), [{"title": f"Task {number}"} for number in range(24)])
    page = page_of(worker)
    assert len(page.groups) == page.total == PER_PAGE
    assert not any(group.left_out for group in page.groups)


@pytest.mark.parametrize("sort", Sort.values)
def test_pages_have_each_group_once_in_the_order_of_the_sort(worker, sort):
    lab = open_requester("lab")
    for hits in (2, 1, 3):  # equal keys are ordered by id
        types = [{"title": f"{hits} {at}", "reward_cents": 5 + at % 3} for at in range(20)]
        add_types(lab, types, hits=hits)
    pages = walk(worker, sort=sort)
    assert [len(page) for page in pages] == [25, 25, 10]
    shown = [title for page in pages for title in page]
    rows = HitType.objects.order_by("-pk")
    key = {
        Sort.REWARD: lambda row: -row.reward_cents,
        Sort.REMAINING: lambda row: -int(row.title.partition(" ")[0]),
    }.get(Sort(sort), lambda row: 0)
    assert shown == [row.title for row in sorted(rows, key=key)]


def test_next_page_is_undisturbed_by_groups_that_open_and_close(worker):
    lab = open_requester("lab")
    types = add_types(lab, [{"title": f"Task {number}"} for number in range(60)])
    first = page_of(worker)
    add_types(lab, [{"title": "New"}])
    Hit.objects.filter(hit_type=types[35]).update(open=False)  # the last one of the first page
    second = page_of(worker, first.following)
    assert titles_of(second) == [f"Task {number}" for number in range(34, 9, -1)]
    Hit.objects.filter(hit_type__in=types).update(open=False)
    assert titles_of(page_of(worker, second.following)) == ["New"]  # the first page again


@pytest.mark.parametrize("text", ["", "x", "_", "5_x", "x_5", f"{10**15}_1", "5"])
@pytest.mark.parametrize("name", ["after", "before"])
def test_invalid_position_shows_the_first_page(worker, text, name):
    add_types(open_requester("lab"), [{"title": "Task"}])
    assert titles(log_in(worker).get("/hits/", {name: text})) == ["Task"]


def test_name_of_a_requester_is_a_position(worker):
    for number in range(30):
        add_types(open_requester(f"Lab_{number:02} %’"), [{"title": f"Task {number:02}"}])
    pages = walk(worker, sort="requester")
    assert [title for page in pages for title in page] == [f"Task {at:02}" for at in range(30)]
    position = Position(key="a_b", hit_type=7, is_backwards=False)
    assert Position.parse(str(position), sort="requester", is_backwards=False) == position


REQUIREMENTS = [
    {"Comparator": comparator, "IntegerValues": values}
    for comparator, values in (
        ("LessThan", [3]),
        ("LessThanOrEqualTo", [3]),
        ("GreaterThan", [3]),
        ("GreaterThanOrEqualTo", [3]),
        ("EqualTo", [3]),
        ("NotEqualTo", [3]),
        ("In", [2, 3]),
        ("NotIn", [2, 33]),
    )
] + [{"Comparator": "Exists"}, {"Comparator": "DoesNotExist"}]
PLACES = [
    [{"Country": "US"}],
    [{"Country": "US", "Subdivision": "NY"}],
    [{"Country": "GB"}, {"Country": "US", "Subdivision": "CA"}],
]
LOCALES = [
    {"QualificationTypeId": LOCALE, "Comparator": comparator, "LocaleValues": locales}
    for comparator in ("In", "NotIn")
    for locales in PLACES
]


def test_database_and_python_agree_on_requirements(worker):
    lab, now = open_requester("lab"), timezone.now()
    codes = [
        create_type(requester=lab, fields={"name": name, "description": "d"}, now=now).code
        for name in ("skill", "other")
    ]
    people = [worker]
    for at, value in enumerate((None, 2, 3, 4, 33)):
        values = {"country": "US", "subdivision": ["NY", "CA", ""][at % 3], "is_adult": at % 2}
        person = make_worker(f"worker-{at}", **values)
        person.approved_count, person.rejected_count = at * 60, at * 30
        person.save()
        grant(requester=lab, type_code=codes[0], worker_code=person.code, value=value, now=now)
        people.append(person)
    system = (APPROVAL_RATE, HITS_APPROVED, ADULT)
    single = [
        {"QualificationTypeId": code, **requirement}
        for code in (*codes, *system)
        for requirement in REQUIREMENTS
    ] + LOCALES
    random = Random(1)
    chosen = [random.sample(single, random.randint(0, 3)) for _ in range(300)]
    chosen += [[requirement] for requirement in single]
    for requirements in chosen:
        for requirement in requirements:
            requirement["ActionsGuarded"] = random.choice(Guarded.values)
    types = [
        {"title": f"Task {at}", "requirements": [dict(r) for r in requirements]}
        for at, requirements in enumerate(chosen)
    ]
    created = add_types(lab, types)
    for person in people:
        for action, fields in (
            (Guarded.DISCOVER, {}),
            (Guarded.ACCEPT, {"qualified_only": True}),
        ):
            shown = {title for page in walk(person, **fields) for title in page}
            held = held_by(person)
            assert shown == {
                hit_type.title
                for hit_type in created
                if not unmet(hit_type.requirements, held, action=action)
                and not unmet(hit_type.requirements, held, action=Guarded.DISCOVER)
            }


@pytest.fixture
def pairs(worker):
    """Publish the HITs of three pairs of authors, of which the worker may do the second."""
    lab, now = open_requester("lab"), timezone.now()
    pool = create_type(requester=lab, fields={"name": "pool", "description": "d"}, now=now)
    grant(requester=lab, type_code=pool.code, worker_code=worker.code, value=1, now=now)
    requirements = [all_but(pool, 1, 2), all_but(pool, 2, 3), all_but(pool, 1, 3), all_but(pool)]
    return add_types(lab, [{"title": MERGING, "requirements": row} for row in requirements[:3]])


def test_accepting_takes_a_hit_that_the_worker_may_do(pairs, worker, browser):
    assert titles(browser.get("/hits/")) == [MERGING]
    code = accept_hit.accept_next(worker=worker, hit_type_code=pairs[0].code, now=timezone.now())
    assert Assignment.objects.get(code=code).hit_type == pairs[1]
    page = browser.post(f"/hits/groups/{pairs[2].code}/accept/", follow=True)
    assert "requires qualifications that you don" in page.content.decode()
    assert titles(page) == [MERGING]  # with the reason why the worker can't accept the others
    assert "This task requires that" in page.content.decode()


def test_group_continues_with_its_other_types(pairs, worker):
    lab = pairs[0].requester
    pool_row = pairs[0].requirements[0] | {"Comparator": "Exists"}
    del pool_row["IntegerValues"]
    add_types(lab, [{"title": MERGING, "requirements": [pool_row]}], hits=2)
    now, accepted = timezone.now(), []
    while code := accept_hit.accept_next(worker=worker, hit_type_code=pairs[1].code, now=now):
        accepted.append(Assignment.objects.get(code=code).hit_type_id)
    newest = HitType.objects.latest("pk")
    assert accepted == [pairs[1].pk, newest.pk, newest.pk]


def test_preview_shows_a_hit_that_the_worker_may_do(pairs, browser):
    page = browser.get(f"/hits/groups/{pairs[0].code}/").content.decode()
    assert f"/hits/groups/{pairs[1].code}/accept/" in page


@pytest.mark.parametrize(
    "other",
    [
        {"title": "Other"},
        {"reward_cents": 6},
        {"description": "other"},
        {"requirements": [{"QualificationTypeId": LOCALE, "Comparator": "NotIn"}]},
        {"requirements": [{"QualificationTypeId": "3Q", "Comparator": "In", "IntegerValues": [1]}]},
        {"requirements": [{"QualificationTypeId": "3Q", "Comparator": "Exists"}]},
    ],
)
def test_types_with_other_values_are_groups_of_their_own(worker, other):
    lab = open_requester("lab")
    add_types(lab, [{"title": "Task"}, {"title": "Task"} | other])
    add_types(open_requester("second lab"), [{"title": "Task"}])
    assert page_of(worker).total == 3


def test_type_that_excludes_holders_of_a_qualification_joins_the_others(worker):
    lacks = {"QualificationTypeId": "3DID7", "Comparator": "DoesNotExist"}
    add_types(
        open_requester("lab"), [{"title": "Task"}, {"title": "Task", "requirements": [lacks]}]
    )
    [group] = page_of(worker).groups
    assert group.available == 2


def test_message_about_new_tasks_names_groups_of_every_requester(crowded):
    search = SavedSearch.objects.create(
        worker=crowded.member, name="All", criteria={}, notifies=True, seen_hit=0
    )
    newest = Hit.objects.latest("pk").pk
    add_types(open_requester("new lab"), [{"title": "New task"}])
    crowding = HitType.objects.filter(title="Look 1").get().requester
    add_types(crowding, [{"title": f"New look {number}"} for number in range(50)])
    # A further pair of a campaign that the worker knows is no new group.
    news = HitType.objects.filter(title=MERGING).first()
    add_types(news.requester, [{"title": MERGING, "requirements": all_but(crowded.pool, 3)}])
    page = find_groups(
        worker=WorkerAccount.objects.get(pk=search.worker_id),
        wanted=GroupFilter(),
        now=timezone.now(),
        newer_than=newest,
        size=10,
    )
    assert titles_of(page)[-1] == "New task"
    assert set(islice(titles_of(page), 5)) == {f"New look {number}" for number in range(45, 50)}
    assert page.total == 51

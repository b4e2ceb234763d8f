"""The error rates of simulated people."""

import random

import pytest

from schemes.simulated_person import TYPICAL_SKILL, Person

RATE = 0.2


def share(happens) -> float:
    rng = random.Random(1)
    return sum(happens(RATE, rng) for _ in range(5000)) / 5000


def test_typical_person_errs_at_the_stated_rate():
    person = Person(TYPICAL_SKILL)
    for happens in (person.errs, person.misses, person.invents):
        assert share(happens) == pytest.approx(RATE, abs=0.02)


def test_bold_people_invent_more_and_miss_less():
    bold, timid = Person(TYPICAL_SKILL, 1.0), Person(TYPICAL_SKILL, -1.0)
    twice, half = 1 - (1 - RATE) ** 2, 1 - (1 - RATE) ** 0.5
    assert [share(bold.invents), share(bold.misses)] == pytest.approx([twice, half], abs=0.02)
    assert [share(timid.invents), share(timid.misses)] == pytest.approx([half, twice], abs=0.02)


def test_nobody_errs_at_skill_1_and_errors_grow_as_skill_falls():
    assert share(Person(1.0, 1.0).invents) == share(Person(1.0, -1.0).misses) == 0
    shares = [share(Person(skill).errs) for skill in (1.0, 0.9, 0.6, 0.3, 0.0)]
    assert shares == sorted(set(shares))


def test_people_of_a_crowd_differ_around_its_skill_and_a_seed_gives_the_same_one():
    crowd = [Person.drawn(0.9, str(seed)) for seed in range(400)]
    assert crowd == [Person.drawn(0.9, str(seed)) for seed in range(400)]
    skills = [person.skill for person in crowd]
    assert sum(skills) / 400 == pytest.approx(0.9, abs=0.01)
    assert min(skills) == pytest.approx(0.86, abs=0.002)
    assert max(skills) == pytest.approx(0.94, abs=0.002)
    assert {Person.drawn(1.0, str(seed)).skill for seed in range(20)} == {1.0}

import pytest
from django.db import connection

from annotation.domain.look_up import stored_keys, stored_sentences
from annotation.models import Sentence
from tests.annotation.factories import make_item, make_project

ODD = ["plain", 'a "quote"', "back\\slash", "100%", "Zoë", "dog 🐕", "it's", "[]", ""]


@pytest.fixture
def project(db):
    return make_project()


def test_sentences_of_the_project_are_found_whatever_stands_in_their_names(project):
    kept = {}
    for named in (project, make_project("other")):
        for name in ODD:
            one = Sentence.objects.create(project=named, external_id=name, tokens=["Zoë", name])
            if named == project:
                kept[name] = (one.pk, ["Zoë", name])
    found = stored_sentences(project=project, external_ids=[*ODD[1:], "another"])
    assert found == {name: kept[name] for name in ODD[1:]}
    assert stored_sentences(project=project, external_ids=[]) == {}


@pytest.mark.skipif(connection.vendor == "postgresql", reason="its JSON holds none")
def test_tokens_with_half_an_emoji_are_read(project):
    Sentence.objects.create(project=project, external_id="half", tokens=["\ud83d"])
    [(_, tokens)] = stored_sentences(project=project, external_ids=["half"]).values()
    assert tokens == ["\ud83d"]


def test_thousands_of_keys_are_looked_up_by_one_statement(project, django_assert_num_queries):
    item = make_item(project)
    keys = [item.key, *(f"none/{number}" for number in range(20_000))]
    with django_assert_num_queries(1):
        assert stored_keys(project=project, keys=keys) == {item.key}
    assert stored_keys(project=make_project("other"), keys=keys) == set()

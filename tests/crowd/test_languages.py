"""The stored language of workers, and the composition of texts in it."""

import pytest
from django.utils import translation
from django.utils.translation import gettext

from crowd.domain.workers.languages import (
    by_language,
    in_all_languages,
    keep_language,
    language_of,
    page_language,
)
from crowd.models import Worker
from tests.crowd.factories import make_worker

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("active", "stored"), [("en", ""), ("de", "de"), (None, "")])
def test_english_is_stored_like_an_unknown_language(active, stored):
    with translation.override(active):
        assert page_language() == stored


def test_language_is_written_only_if_it_changed(django_assert_num_queries):
    worker = make_worker()
    with django_assert_num_queries(0):
        keep_language(worker=worker, language="")
    with django_assert_num_queries(1):
        keep_language(worker=worker, language="de")
        keep_language(worker=worker, language="de")
    assert Worker.objects.get().language == "de"
    keep_language(worker=worker, language="")
    assert Worker.objects.get().language == ""


@pytest.mark.parametrize(
    ("stored", "used"), [("", "en"), ("de", "de"), ("xx", "en"), ("../../x", "en")]
)
def test_language_without_translations_is_english(stored, used):
    assert language_of(Worker(language=stored)) == used
    assert language_of(None) == "en"


def test_workers_are_grouped_by_the_language_that_is_used():
    workers = [Worker(pk=pk, language=of) for pk, of in enumerate(["de", "", "xx", "de"], 1)]
    first, second, third, fourth = workers
    assert by_language(workers) == {"de": [first, fourth], "en": [second, third]}


def test_text_in_all_languages_leaves_the_current_one_alone():
    with translation.override("de"):
        texts = in_all_languages(lambda: gettext("Thank you!"))
        assert translation.get_language() == "de"
    assert texts == {"Thank you!", "Vielen Dank!"}

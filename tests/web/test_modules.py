"""Preload links follow the imports of a page's script."""

import re

import pytest
from django.template import Context, Template

from web.templatetags.modules import imported_modules


def test_imported_modules_are_found_at_any_depth():
    names = imported_modules("js/schemes/qasrl/generator.js")
    assert {"js/schemes/qasrl/workbench.js", "js/work/draft.js", "js/spans.js"} <= set(names)
    assert "js/schemes/qasrl/generator.js" not in names
    assert len(names) == len(set(names))


def test_types_named_in_comments_are_not_preloaded():
    assert "js/schemes/qasrl/grammar.js" not in imported_modules("js/schemes/qasrl/validator.js")


def test_module_without_a_file_is_named():
    with pytest.raises(FileNotFoundError, match=r"js/no-such\.js"):
        imported_modules("js/no-such.js")


def test_modulepreload_links_to_each_module():
    template = Template('{% load modules %}{% modulepreload "js/trainer.js" %}')
    html = template.render(Context())
    names = re.findall(
        r'<link rel="modulepreload" href="/static/([\w/-]+)[\w.]*" crossorigin>', html
    )
    assert names == ["js/html", "js/work/timing"]

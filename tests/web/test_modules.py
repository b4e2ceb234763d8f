"""Preload links for the imports of a page's script."""

import re

import pytest
from django.template import Context, Template

from web.modules import imported_modules


def test_imported_modules_are_found_at_any_depth():
    names = imported_modules("js/schemes/qasrl/generator.js")
    assert {"js/schemes/qasrl/workbench.js", "js/html.js", "js/spans.js"} <= set(names)
    assert "js/schemes/qasrl/generator.js" not in names
    assert len(names) == len(set(names))


def test_types_named_in_comments_are_not_preloaded():
    assert "js/schemes/qasrl/grammar.js" not in imported_modules("js/schemes/qasrl/validator.js")


def test_error_names_a_missing_module():
    with pytest.raises(FileNotFoundError, match=r"js/no-such\.js"):
        imported_modules("js/no-such.js")


LINK = re.compile(r'<link rel="modulepreload" href="/static/([\w/-]+)[\w.]*" crossorigin>')


def links(*modules: str) -> list[str]:
    arguments = " ".join(f'"{module}"' for module in modules)
    template = Template(f"{{% load modules %}}{{% modulepreload {arguments} %}}")
    return LINK.findall(template.render(Context()))


def test_modulepreload_links_to_each_module():
    assert links("js/trainer.js") == ["js/html", "js/shortcuts", "js/storage", "js/work/timing"]


def test_modulepreload_links_to_modules_that_are_imported_later():
    names = links("js/work/task.js", "js/schemes/qasrl/validator.js")
    assert names == sorted(set(names))
    assert {"js/schemes/qasrl/validator", "js/schemes/qasrl/case-page", "js/work/draft"} <= {*names}
    assert "js/work/task" not in names


def test_modulepreload_links_to_modules_that_the_content_needs():
    template = Template('{% load modules %}{% modulepreload "js/trainer.js" also=also %}')
    also = ["js/schemes/custom/span-card.js"]
    names = LINK.findall(template.render(Context({"also": also})))
    assert {"js/html", "js/schemes/custom/span-card", "js/schemes/custom/parts"} <= {*names}
    assert LINK.findall(template.render(Context())) == links("js/trainer.js")

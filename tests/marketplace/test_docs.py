import re
from dataclasses import fields
from pathlib import Path

from marketplace.api.shapes import operation_names
from marketplace.domain.faults import Faults

PAGE = (Path(__file__).parents[2] / "docs" / "marketplace.md").read_text()


def test_page_lists_every_operation_as_supported_or_refused():
    rows = re.findall(r"^\| ([A-Z]\w+) \| (supported|refused)", PAGE, re.MULTILINE)
    assert [name for name, _ in rows] == sorted(operation_names())


def test_page_lists_every_fault():
    names = {field.name for field in fields(Faults) if not field.name.startswith("_")}
    listed = PAGE.partition("## Faults on purpose")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", listed, re.MULTILINE)) == names

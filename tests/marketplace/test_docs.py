import re
from dataclasses import fields
from pathlib import Path

from marketplace.api.shapes import operation_names
from marketplace.domain.faults import Faults

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def test_page_lists_every_operation_as_supported_or_refused():
    section = (REFERENCE / "api.md").read_text().partition("\nSupported operations:\n")[2]
    names = re.findall(r"`([A-Z]\w+)`", section)
    assert sorted(names) == sorted(operation_names())


def test_page_lists_every_fault():
    names = {field.name for field in fields(Faults) if not field.name.startswith("_")}
    section = (REFERENCE / "settings.md").read_text().partition("\n## Faults\n")[2]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == names

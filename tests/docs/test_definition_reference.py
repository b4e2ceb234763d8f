"""The reference of definitions, which is made from their JSON Schema."""

from scripts.write_definition_reference import PAGE, page


def test_reference_of_definitions_is_current():
    assert PAGE.read_text("utf-8") == page(), "run python -m scripts.write_definition_reference"

"""The drawing of the packages, which is made from the code."""

from xml.etree import ElementTree

from scripts.draw_architecture import (
    DRAWING,
    boxes_of,
    drawing,
    path_of,
    read_contracts,
    read_imports,
    rows_of,
    without_implied,
)

SVG = "{http://www.w3.org/2000/svg}"


def test_drawing_is_current():
    assert DRAWING.read_text("utf-8") == drawing(), "run python -m scripts.draw_architecture"


def test_drawing_has_every_package_as_text():
    packages, _ = read_contracts()
    root = ElementTree.parse(DRAWING).getroot()
    texts = [text.text for text in root.iterfind(f"{SVG}g/{SVG}text")]
    assert sorted(texts) == sorted(packages)
    description = root.findtext(f"{SVG}desc")
    assert all(f"{name} imports " in description for name in packages)
    assert "annotation imports projects, crowd, schemes, " in description


def test_imports_are_read_from_the_code():
    imports = read_imports(["config", "marketplace", "metrics", "schemes", "web"])
    assert imports["schemes"] == {"metrics", "web"}
    assert imports["metrics"] == set()
    assert imports["config"] == {"web"}


def test_implied_imports_have_no_arrow():
    imports = {"a": {"b", "c", "d"}, "b": {"c"}, "c": {"d"}, "d": set(), "e": {"d"}}
    assert without_implied(imports) == {"a": ["b"], "b": ["c"], "c": ["d"], "d": [], "e": ["d"]}


def test_packages_stand_above_what_they_import():
    imports = {"a": {"b"}, "b": {"d"}, "c": {"d"}, "d": set(), "alone": {"d"}}
    layers = [["a"], ["b"], ["c"], ["d"]]
    assert rows_of(list(imports), layers, imports) == [["a"], ["alone", "b", "c"], ["d"]]


def test_arrows_go_around_boxes():
    arrows = {"a": ["b", "c"], "b": [], "c": []}
    boxes = boxes_of([["a"], ["b"], ["c"]], arrows)
    assert path_of(boxes["a"], boxes["b"], boxes, 500).endswith(f"{boxes['b'].top - 2:.0f}")
    assert "H500V" in path_of(boxes["a"], boxes["c"], boxes, 500)

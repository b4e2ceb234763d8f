"""Drawings as SVG and PDF: readable by parsers, with the same marks at the same places."""

import re
from xml.etree import ElementTree

import pytest

from web.drawing import Drawing, text_width

SVG = "{http://www.w3.org/2000/svg}"
OBJECT = re.compile(rb"(\d+) 0 obj\n(.*?)\nendobj\n", re.DOTALL)


def objects_of(pdf: bytes) -> dict[int, bytes]:
    """Return the objects of a PDF file by number, read through its table of offsets."""
    assert pdf.startswith(b"%PDF-1.4\n")
    start = int(re.search(rb"startxref\n(\d+)\n%%EOF\n\Z", pdf)[1])
    head, count = re.match(rb"xref\n0 (\d+)\n", pdf[start:]), 0
    count = int(head[1])
    place = start + head.end()
    entries = [pdf[place + 20 * at : place + 20 * (at + 1)] for at in range(count)]
    assert entries[0] == b"0000000000 65535 f \n"
    trailer = pdf[place + 20 * count :]
    assert f"/Size {count} /Root 1 0 R".encode() in trailer
    objects = {}
    for number, entry in enumerate(entries[1:], 1):
        assert re.fullmatch(rb"\d{10} 00000 n \n", entry)
        match = OBJECT.match(pdf, int(entry[:10]))
        assert int(match[1]) == number
        objects[number] = match[2]
    for content in objects.values():
        assert all(int(name) in objects for name in re.findall(rb"(\d+) 0 R", content))
    return objects


def stream_of(pdf: bytes) -> str:
    """Return the operators of the page."""
    [stream] = [content for content in objects_of(pdf).values() if b"stream\n" in content]
    length, content = re.fullmatch(
        rb"<< /Length (\d+) >>\nstream\n(.*)\nendstream", stream, re.DOTALL
    ).groups()
    assert int(length) == len(content)
    return content.decode("cp1252")


def texts_of(pdf: bytes) -> list[str]:
    found = re.findall(r"Td \((.*)\) Tj ET", stream_of(pdf))
    return [re.sub(r"\\(.)", r"\1", text) for text in found]


def info_of(pdf: bytes, name: str) -> str:
    """Return a fact of the file, such as its title."""
    for content in objects_of(pdf).values():
        if match := re.search(rf"/{name} <(\w+)>".encode(), content):
            return bytes.fromhex(match[1].decode()).decode("utf-16")
    raise KeyError(name)


@pytest.fixture
def drawing() -> Drawing:
    made = Drawing("Wörter & “more”", "One: 1.", width=100, height=50)
    made.text(90, 40, "Ärger (50\\2) €", anchor="end")
    made.line((10, 10), (20, 10))
    made.rectangle((10, 20), (30, 8), grey=0.5)
    return made


def test_svg_is_xml_with_its_title_and_description(drawing):
    root = ElementTree.fromstring(drawing.as_svg())
    assert root.get("width") == "100pt"
    assert root.find(f"{SVG}title").text == "Wörter & “more”"
    assert root.find(f"{SVG}desc").text == "One: 1."
    text = root.find(f"{SVG}text")
    assert text.text == "Ärger (50\\2) €"
    # So that wider letters of another font stay inside the drawing.
    assert float(text.get("textLength")) == pytest.approx(text_width(text.text), abs=0.01)
    assert root.find(f"{SVG}rect").get("fill") == "#808080"


def test_pdf_is_a_file_with_one_page_and_the_same_texts(drawing):
    pdf = drawing.as_pdf()
    page = objects_of(pdf)[3]
    assert b"/MediaBox [0 0 100 50]" in page
    assert texts_of(pdf) == ["Ärger (50\\2) €"]
    assert (info_of(pdf, "Title"), info_of(pdf, "Subject")) == ("Wörter & “more”", "One: 1.")


def test_pdf_has_the_marks_at_the_same_places_from_below(drawing):
    content = stream_of(drawing.as_pdf())
    assert "10 40 m 20 40 l S" in content
    assert "0.5 g 10 22 30 8 re f" in content
    x, y = map(float, re.search(r"Tf (\S+) (\S+) Td", content).groups())
    assert x == pytest.approx(90 - text_width("Ärger (50\\2) €"), abs=0.01)
    assert y == 10


def test_text_that_helvetica_lacks_has_no_pdf(drawing):
    drawing.text(0, 10, "語")
    assert drawing.as_pdf() is None
    assert "語".encode() in drawing.as_svg()


def test_widths_are_those_of_helvetica():
    assert text_width("Will é") == pytest.approx(8 * (944 + 3 * 222 + 278 + 556) / 1000)
    assert text_width("–") == pytest.approx(8 * 0.556)

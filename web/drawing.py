"""Drawings for print, written as SVG and as PDF. The same drawing gives the same bytes.

Lengths are in points, from the upper left corner. The letters are Helvetica, which viewers of PDF have
without an embedded font. It has the characters of Western European languages only.
"""

import unicodedata
from codecs import BOM_UTF16_BE
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement, tostring

SIZE = 8  # of the letters
ENCODING = "cp1252"  # which PDF calls WinAnsiEncoding
SERIFLESS = "Helvetica, Arial, sans-serif"
# Widths of Helvetica in thousandths of its size, from the space to the tilde.
_WIDTHS = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_OTHER_WIDTHS = {"‘": 222, "’": 222, "“": 333, "”": 333, "…": 1000, "—": 1000, "·": 278, "ß": 611}
_ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}


def text_width(text: str) -> float:
    """Return the width of a text. An accented letter is as wide as its base."""
    return SIZE * sum(map(_letter_width, text)) / 1000


def _is_in_helvetica(text: str) -> bool:
    try:
        text.encode(ENCODING)
    except UnicodeEncodeError:
        return False
    return True


def _letter_width(letter: str) -> int:
    base = unicodedata.normalize("NFD", letter)[0]
    if " " <= base <= "~":
        return _WIDTHS[ord(base) - ord(" ")]
    return 1000 if unicodedata.east_asian_width(base) in "WF" else _OTHER_WIDTHS.get(base, 556)


@dataclass(frozen=True, slots=True)
class _Text:
    x: float
    y: float
    text: str
    anchor: str

    def draw_in_svg(self, svg: Element) -> None:
        place = {"x": _n(self.x), "y": _n(self.y), "text-anchor": self.anchor}
        if self.text and _is_in_helvetica(self.text):
            # Viewers without Helvetica and Arial have wider letters.
            width = _n(text_width(self.text))
            place |= {"textLength": width, "lengthAdjust": "spacingAndGlyphs"}
        SubElement(svg, "text", place).text = self.text

    def pdf(self, height: float) -> str:
        x = self.x - _ANCHORS[self.anchor] * text_width(self.text)
        escaped = "".join(f"\\{letter}" if letter in "()\\" else letter for letter in self.text)
        return f"BT /F1 {SIZE} Tf {_n(x)} {_n(height - self.y)} Td ({escaped}) Tj ET"


@dataclass(frozen=True, slots=True)
class _Line:
    start: tuple[float, float]
    end: tuple[float, float]
    width: float
    grey: float

    def draw_in_svg(self, svg: Element) -> None:
        (x1, y1), (x2, y2) = self.start, self.end
        ends = {"x1": _n(x1), "y1": _n(y1), "x2": _n(x2), "y2": _n(y2)}
        look = {"stroke": _hexadecimal(self.grey), "stroke-width": _n(self.width)}
        SubElement(svg, "line", ends | look)

    def pdf(self, height: float) -> str:
        (x1, y1), (x2, y2) = self.start, self.end
        ends = f"{_n(x1)} {_n(height - y1)} m {_n(x2)} {_n(height - y2)} l"
        return f"{_n(self.grey)} G {_n(self.width)} w {ends} S"


@dataclass(frozen=True, slots=True)
class _Rectangle:
    corner: tuple[float, float]
    size: tuple[float, float]
    grey: float

    def draw_in_svg(self, svg: Element) -> None:
        (x, y), (width, height) = self.corner, self.size
        sides = {"x": _n(x), "y": _n(y), "width": _n(width), "height": _n(height)}
        SubElement(svg, "rect", sides | {"fill": _hexadecimal(self.grey)})

    def pdf(self, height: float) -> str:
        x, (width, tall) = self.corner[0], self.size
        y = height - self.corner[1] - tall
        return f"{_n(self.grey)} g {_n(x)} {_n(y)} {_n(width)} {_n(tall)} re f 0 g"


@dataclass(slots=True)
class Drawing:
    """A drawing in greys, from 0 (black) to 1 (white). Readers of its text see title and description."""

    title: str
    description: str
    width: float
    height: float
    _marks: list[_Text | _Line | _Rectangle] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, *, anchor: str = "start") -> None:
        """Write a text whose baseline starts, ends or has its middle at a point."""
        self._marks.append(_Text(x, y, text, anchor))

    def line(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        *,
        width: float = 0.5,
        grey: float = 0.0,
    ) -> None:
        self._marks.append(_Line(start, end, width, grey))

    def rectangle(
        self, corner: tuple[float, float], size: tuple[float, float], *, grey: float
    ) -> None:
        self._marks.append(_Rectangle(corner, size, grey))

    def as_svg(self) -> bytes:
        """Return an SVG file."""
        width, height = _n(self.width), _n(self.height)
        size = {"width": f"{width}pt", "height": f"{height}pt", "viewBox": f"0 0 {width} {height}"}
        font = {"font-family": SERIFLESS, "font-size": str(SIZE)}
        root = {"xmlns": "http://www.w3.org/2000/svg", "role": "img"}
        svg = Element("svg", {**root, **size, **font})
        SubElement(svg, "title").text = self.title
        SubElement(svg, "desc").text = self.description
        for mark in self._marks:
            mark.draw_in_svg(svg)
        return tostring(svg, encoding="utf-8") + b"\n"

    def as_pdf(self) -> bytes | None:
        """Return a PDF file with one page, or None if a text has characters that Helvetica lacks."""
        try:
            content = "\n".join(mark.pdf(self.height) for mark in self._marks).encode(ENCODING)
        except UnicodeEncodeError:
            return None
        page = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {_n(self.width)} {_n(self.height)}] "
            "/Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>"
        )
        font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
        stream = b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content)
        facts = f"<< /Title {_pdf_text(self.title)} /Subject {_pdf_text(self.description)} >>"
        return _pdf_file(
            [
                b"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
                b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                page.encode(),
                font.encode(),
                stream,
                facts.encode(),
            ]
        )


def _pdf_file(objects: list[bytes]) -> bytes:
    """Return a file with the objects. The first is its catalogue, and the last has its title."""
    body, offsets = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects)
    body += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (size + 1, size)
    body += b"startxref\n%d\n%%%%EOF\n" % start
    return bytes(body)


def _pdf_text(text: str) -> str:
    """Return a text of any characters for the facts of a PDF file."""
    return f"<{(BOM_UTF16_BE + text.encode('utf-16-be')).hex()}>"


def _hexadecimal(grey: float) -> str:
    return f"#{round(255 * grey):02x}" + f"{round(255 * grey):02x}" * 2


def _n(number: float) -> str:
    """Write a length with at most two decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")

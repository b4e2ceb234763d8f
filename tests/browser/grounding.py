"""Captions of the grounding scheme, and the actions of annotators on their page."""

import io
from collections.abc import Sequence
from itertools import count

from PIL import Image as Pillow
from PIL import ImageDraw
from playwright.sync_api import Frame, Locator, Page

from annotation.domain.corpus.images import store_image
from annotation.models import Item, Sentence
from projects.domain.create_project import create_project
from projects.models import Project
from schemes.contract.values import Json
from schemes.registry import get_scheme
from tests.annotation.factories import NOW

# 0     1      2         3   4    5      6
TOKENS = [
    "Two",
    "women",
    "beside",
    "a",
    "red",
    "car",
    "watch",
    "a",
    "race",
    "with",
    "their",
    "dogs",
]
SIZE = (500, 375)
Box = tuple[int, int, int, int]
WOMEN: list[Box] = [(40, 60, 100, 220), (130, 70, 190, 230)]
CAR: Box = (240, 120, 440, 240)
DOG: Box = (60, 260, 120, 320)
COLOURS = ("#7a4b8c", "#3b6ea5", "#b3302a", "#8a6a3b")
_numbers = count(1)


def phrase(
    number: int,
    start: int,
    end: int,
    *,
    plural: bool = False,
    cardinality: int | None = None,
    chain: str = "",
) -> Json:
    return {
        "id": f"p{number}",
        "start": start,
        "end": end,
        "plural": plural,
        "cardinality": cardinality,
        "chain": chain,
        "types": ["other"],
    }


PHRASES = [
    phrase(0, 0, 2, plural=True, cardinality=2, chain="c1"),
    phrase(1, 3, 6, cardinality=1, chain="c2"),
    phrase(2, 7, 9, cardinality=1),
    phrase(3, 10, 12, plural=True, chain="c1"),
]


def draw_picture(size: tuple[int, int] = SIZE, boxes: Sequence[Box] = (*WOMEN, CAR, DOG)) -> bytes:
    """Return a PNG of rectangles on grass."""
    picture = Pillow.new("RGB", size, "#8fb573")
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 0, size[0], size[1] // 3), fill="#bcd7ee")
    for at, (x1, y1, x2, y2) in enumerate(boxes):
        pen.rectangle((x1, y1, x2 - 1, y2 - 1), fill=COLOURS[at % len(COLOURS)])
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def make_grounding_project(slug: str = "pictures") -> Project:
    presets = get_scheme("grounding").vocabulary.pay_presets
    return create_project(
        slug=slug,
        scheme="grounding",
        pay_scheme=presets["grounding"],
        bonus_timing="at-once",
        now=NOW,
    )


def make_caption(
    project: Project,
    tokens: Sequence[str] = TOKENS,
    phrases: Sequence[Json] = PHRASES,
    *,
    picture: bytes | None = None,
    metadata: Json | None = None,
) -> Item:
    number = next(_numbers)
    sentence = Sentence.objects.create(
        project=project,
        external_id=f"{number}#0",
        tokens=list(tokens),
        image=store_image(project=project, name="1.png", data=picture or draw_picture()),
        metadata=metadata or {},
    )
    return Item.objects.create(
        project=project,
        sentence=sentence,
        key=f"{number}#0/phrases",
        target={"phrases": list(phrases)},
        position=number,
    )


# --- the page ------------------------------------------------------------------------------------


def stage(page: Page) -> Locator:
    return page.locator("[data-stage]")


def point(page: Page, x: float, y: float) -> tuple[float, float]:
    """Return the window position of an image pixel."""
    left, top, scale_x, scale_y = page.evaluate(
        """() => {
            const image = document.querySelector(".stage__image");
            const {left, top, width, height} = image.getBoundingClientRect();
            const {width: w, height: h} = JSON.parse(document.getElementById("page").textContent)
                .items[0].data.image;
            return [left, top, width / w, height / h];
        }"""
    )
    return left + x * scale_x, top + y * scale_y


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag the mouse between two pixels of the image."""
    stage(page).scroll_into_view_if_needed()
    page.mouse.move(*point(page, *start))
    page.mouse.down()
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*point(page, *middle))
    page.mouse.move(*point(page, *end))
    page.mouse.up()


def draw(page: Page, box: Box) -> None:
    drag(page, box[:2], box[2:])


def phrase_row(page: Page, number: int) -> Locator:
    return page.locator("[data-phrases] button").nth(number)


def progress(page: Page) -> list[str]:
    return page.locator(".phrase__progress").all_inner_texts()


def box_names(page: Page) -> list[str]:
    """Return the accessible names of the boxes of the current phrase."""
    return [
        box.get_attribute("aria-label") or "" for box in page.locator(".box[role=button]").all()
    ]


# --- what moves under the pointer ----------------------------------------------------------------

FIVE_TOKENS = [
    *("Two", "women", "beside", "a", "red", "car", "watch", "a", "race"),
    *("with", "their", "dogs", "under", "the", "grey", "evening", "sky"),
]
FIVE = [*PHRASES, phrase(4, 13, 17, cardinality=1)]
PORTRAIT = (512, 600)
# Keeps the place of the control or picture under the pointer, and the differences from it.
WATCH = """() => {
    const placeOf = (element) => {
        const {left, top, width, height} = element.getBoundingClientRect();
        return [left, top, width, height];
    };
    let under = null;
    const remember = (event) => {
        const {clientX, clientY, target} = event;
        const found = document.elementFromPoint(clientX, clientY) ?? target;
        const element = found.closest("button, label, summary, [data-stage], [data-token]") ?? found;
        under = {element, place: placeOf(element)};
    };
    for (const name of ["pointermove", "pointerdown"]) addEventListener(name, remember, true);
    window.movedUnderPointer = () => {
        if (!under?.element.isConnected) return null;
        const {element, place} = under;
        const now = placeOf(element);
        under.place = now;
        const by = now.map((side, at) => Math.round(side - place[at]));
        return by.some((side) => side !== 0) ? [element.outerHTML.slice(0, 80), ...by] : null;
    };
}"""


TO_PICTURE = "() => document.querySelector('[data-stage]').scrollIntoView()"


class StillPage:
    """A page whose caption of five phrases is annotated by mouse and keyboard, or by touch.

    `moved` has what moved under the pointer after each act.
    """

    def __init__(self, scope: Page | Frame, page: Page, *, by_touch: bool = False) -> None:
        self.scope, self.page, self.by_touch = scope, page, by_touch
        self.moved: list[Json] = []
        scope.evaluate(WATCH)

    def annotate(self) -> None:
        """Answer the phrases in their order, then go to each of them again."""
        self.draw_at(0.3)
        self.draw_at(0.5)
        self.go_on()
        self.draw_at(0.6)
        if self.by_touch:
            self.go_on()
        else:
            self.page.keyboard.press("n")
            self.check("key n")
        self.press(self.scope.get_by_role("radio", name="Nothing to box"), "scene")
        self.go_on()
        self.press(self.scope.get_by_role("radio", name="One box for the group"), "group")
        self.draw_at(0.4)
        self.go_on()
        self.draw_at(0.2)
        self.look()
        self.press(self.scope.locator("[data-previous-phrase]"), "previous")
        for number in (1, 3, 0, 4):
            words = self.scope.locator(f"[data-phrase='{number}']")
            self.press(words.first, f"phrase {number}")
            if not self.by_touch:
                rows = self.scope.locator("[data-phrases] button")
                self.press(rows.nth(4 - number), f"row {4 - number}")

    def check(self, act: str) -> None:
        self.page.wait_for_timeout(300)
        if found := self.scope.evaluate("window.movedUnderPointer()"):
            self.moved.append([act, *found])

    def look(self) -> None:
        """Scroll to the picture on a phone, which has no room for the list beside it."""
        if self.by_touch:
            self.scope.evaluate(TO_PICTURE)
            self.page.wait_for_timeout(100)

    def draw_at(self, share: float) -> None:
        """Draw a box at a share of the picture's width."""
        self.look()
        area = self.scope.locator("[data-stage]").bounding_box()
        assert area
        x, y = area["x"] + area["width"] * share, area["y"] + area["height"] * 0.3
        if self.by_touch:
            self.page.touchscreen.tap(x, y)
            self.check("corner")
            self.page.touchscreen.tap(x + 24, y + 24)
        else:
            self.page.mouse.move(x, y)
            self.page.mouse.down()
            self.page.mouse.move(x + 12, y + 12)
            self.page.mouse.move(x + 24, y + 24)
            self.page.mouse.up()
        self.check("box")

    def press(self, control: Locator, act: str) -> None:
        if self.by_touch:
            control.tap()
        else:
            control.click()
        self.check(act)

    def go_on(self) -> None:
        self.look()
        self.press(self.scope.locator("[data-next-phrase]"), "next")

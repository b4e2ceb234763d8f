"""Pictures with boxes on staff pages and in feedback."""

import re
from dataclasses import asdict

import pytest
from django.template import Context, Template

from annotation.models import Image
from schemes.contract.comparison import AlignedRow, RowSide
from schemes.contract.pages import ShownUnit
from tests.annotation.factories import make_item, make_project

pytestmark = pytest.mark.django_db
UNITS = [
    ShownUnit("Two dogs", ["2 boxes"], boxes=[[0, 0, 20, 20], [40, 0, 60, 20]]),
    ShownUnit("a <b>ball</b>", ["1 box"], boxes=[[10, 50, 20, 60]]),
    ShownUnit("the evening", ["nothing to box"]),
]
LEFT, RIGHT = [0, 0, 20, 20], [2, 0, 22, 20]


def item_with_picture(slug="news"):
    item = make_item(make_project(slug))
    image = Image.objects.create(
        project=item.project, digest="a" * 64, name="dogs.png", width=560, height=1400
    )
    item.sentence.image = image
    item.sentence.save()
    return item


def rendered(tag, **context):
    return Template("{% load pictures %}" + tag).render(Context(context))


def test_picture_has_numbered_boxes_and_a_text_alternative():
    page = rendered("{% picture_of_units item units %}", item=item_with_picture(), units=UNITS)
    assert page.count('class="picture__box ') == 3
    assert re.findall(r'<rect class="picture__box picture__box--reference" (.*?) />', page)[1] == (
        'x="40" y="0" width="20" height="20"'
    )
    assert re.findall(r"central\">(\d)<", page) == ["1", "1", "2"]
    assert 'viewBox="0 0 560 1400"' in page
    assert "Boxes in the picture: 1: Two dogs; 1: Two dogs; 2: a &lt;b&gt;ball" in page
    assert 'alt="Picture dogs.png"' in page


def test_items_without_a_picture_show_none():
    page = rendered(
        "{% picture_of_units item units %}", item=make_item(make_project()), units=UNITS
    )
    assert not page.strip()


def test_both_sides_of_rows_are_drawn_once_in_two_colours():
    rows = [
        AlignedRow(
            "label-differs", "other answer",
            RowSide("p0", ["boxes"], "Two dogs", [LEFT, [40, 0, 60, 20]]),
            RowSide("p0", ["group"], "Two dogs", [[0, 0, 60, 20]]),
        ),
        AlignedRow(
            "found", "found",
            RowSide("p0:1", ["box"], "Two dogs", [LEFT]), RowSide("p0:2", ["box"], "Two dogs", [RIGHT]),
        ),
        AlignedRow("missed", "missed", RowSide("p0:3", ["box"], "Two dogs", [[40, 0, 60, 20]]), None),
    ]  # fmt: skip
    page = rendered(
        '{% picture_of_rows item rows "expert" "You" %}', item=item_with_picture(), rows=rows
    )
    assert re.findall(r"picture__box--(\w+)", page) == [
        "predicted", "predicted", "reference", "reference",
    ]  # fmt: skip
    description = re.search(r'aria-label="(.*?)"', page)[1]
    assert description == (
        "Boxes in the picture: 1: group, Two dogs (You); 2: box, Two dogs (You); "
        "2: box, Two dogs (expert); 3: box, Two dogs (expert)"
    )
    assert ">Expert<" in page
    stored = rendered(
        '{% picture_of_rows item rows "expert" "You" %}',
        item=item_with_picture("stored"),
        rows=[asdict(row) for row in rows],
    )
    assert stored.count("<rect") == page.count("<rect")
    wrapped = rendered(
        '{% picture_of_rows item rows "expert" "You" %}',
        item=item_with_picture("other"),
        rows=[{"row": row} for row in rows],
    )
    assert wrapped.count("<rect") == page.count("<rect")

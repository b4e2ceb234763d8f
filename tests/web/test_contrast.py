"""The contrast of the colour tokens (WCAG 1.4.3 and 1.4.11), also of pairs that no page has yet."""

import re

import pytest

from tests.environment import ROOT

TOKENS = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)",
        (ROOT / "static/css/tokens.css").read_text("utf-8"),
    )
}
ROLES = [f"role-{number}" for number in range(1, 7)]
STATES = ["found", "missed", "extra", "redundant", "label-differs", "extent-differs"]
TEXT = ["ink", "ink-quiet", "accent", "danger", "warning", "success", *ROLES, *STATES]
PLAIN = ["ground", "surface", "sunken", "mark"]


def luminance(colour: str) -> float:
    values = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(("look", "at"), [("light", 0), ("dark", 1)])
def test_text_and_edges_have_enough_contrast(look, at):
    soft = [name for name in TOKENS if name.endswith("-soft")]
    pairs = [(text, ground, 4.5) for text in TEXT for ground in [*PLAIN, *soft]]
    pairs += [("line-strong", ground, 3) for ground in PLAIN]
    low = [
        f"{look}: {front} on {ground}"
        for front, ground, least in pairs
        if contrast(TOKENS[front][at], TOKENS[ground][at]) < least
    ]
    assert low == []

"""The walkers of grammar.js and walker.py, which agree on every text."""

import dataclasses
import json
import random
import zlib

import pytest

from schemes.contract.values import Json
from schemes.english.verbs import candidate_forms
from schemes.qasrl.grammar import automaton, item_table
from schemes.qasrl.reading import Reading
from schemes.qasrl.walker import open_item

from .checking_walker import CheckingWalker
from .chromium import page_with_grammar
from .generated_texts import ITEMS, texts

# A line of JSON lists per text. The walkers agree if the bytes are equal.
IN_THE_PAGE = """([shared, item, texts]) => {
    const walker = new grammar.Walker(shared, item);
    const table = Array.from({length: 256}, (_, value) => {
        for (let bit = 0; bit < 8; bit += 1) {
            value = (value >>> 1) ^ (0xedb88320 & -(value & 1));
        }
        return value;
    });
    const crc = (text) => {
        let value = -1;
        for (const byte of new TextEncoder().encode(text)) {
            value = (value >>> 8) ^ table[(value ^ byte) & 255];
        }
        return (value ^ -1) >>> 0;
    };
    window.lineOf = (text) => {
        const check = walker.check(text);
        const points = (at) => Array.from(text.slice(0, at)).length;
        const read = walker.read(text);
        return JSON.stringify([
            [check.state, points(check.start), points(check.end), check.nearest, check.substitute ?? ""],
            walker.complete(text).map((each) => [each.text, each.ends, each.goesOn]),
            read === null ? null : [Object.entries(read.slots), read.tense, read.is_perfect,
                read.is_progressive, read.verb_shape, read.has_separate_not, read.has_it],
        ]);
    };
    return texts.map((text) => crc(window.lineOf(text)));
}"""


def read_line(reading: Reading | None) -> list[object] | None:
    if reading is None:
        return None
    slots = [list(pair) for pair in dataclasses.asdict(reading.slots).items()]
    features = dataclasses.astuple(reading)[1:]
    return [slots, *features]


def line_of(walker: CheckingWalker, text: str) -> str:
    check = walker.check(text)
    line = [
        [check.state, check.start, check.end, list(check.nearest), check.substitute],
        [[option.text, option.ends, option.goes_on] for option in walker.complete(text)],
        read_line(walker.read(text)),
    ]
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def tables() -> list[Json]:
    """Yield items of verbs and a noun, and items that accept every preposition.

    Some have two spellings.
    """
    items = [item_table(forms, sentence.split()) for forms, sentence in ITEMS]
    light, lay = candidate_forms("light"), candidate_forms("lay")
    items.append(item_table(light[0], ["It", "lit", "up"], others=light[1:]))
    sell = candidate_forms("sell")[0]
    items.append(item_table(sell, ["The", "sale", "to", "him"], is_noun=True))
    return [*items, open_item(ITEMS[0][0]), open_item(*lay)]


@pytest.mark.browser
@pytest.mark.parametrize("count", [3_000, pytest.param(120_000, marks=pytest.mark.long)])
def test_both_walkers_agree_on_generated_texts(chromium, count):
    rng = random.Random(20200705)
    states = {"complete": 0, "unfinished": 0, "wrong": 0}
    with page_with_grammar(chromium) as page:
        for table in tables():
            walker = CheckingWalker(table)
            batch = list(texts(walker, rng, count // 12))
            checksums = page.evaluate(IN_THE_PAGE, [automaton(), table, batch])
            for text, checksum in zip(batch, checksums, strict=True):
                line = line_of(walker, text)
                states[walker.check(text).state] += 1
                if zlib.crc32(line.encode()) != checksum:
                    assert page.evaluate("(text) => lineOf(text)", text) == line, repr(text)
    assert sum(states.values()) == count
    assert min(states.values()) > count // 10, "the texts must try all three"

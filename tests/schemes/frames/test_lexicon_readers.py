"""Readers of lexica in FrameNet, VerbNet and JSON, and of extra lexical units."""

import json
import tracemalloc
import zipfile
from pathlib import Path
from time import perf_counter

import pytest

from schemes import xml_files
from schemes.contract.errors import ContentError, FileError
from schemes.contract.values import Json
from schemes.frames.lexicon import LEXICON
from schemes.frames.lexicon.roles import DEFAULT_ROLES, ROLE_PRESETS
from schemes.frames.lexicon.value import EMPTY
from schemes.frames.role_rules import ELEMENT_ROLES
from tests.schemes.frames.lexicon_files import (
    VERBNET,
    frame_xml,
    large_release,
    relations_xml,
    write_folder,
    write_zip,
)

SAMPLE = Path("schemes/frames/samples/lexicon.json")
GIVING = frame_xml("Giving", units=["give.v", "give.n"])
SELLING = frame_xml(
    "Commerce_sell",
    elements=[("Seller", "Core"), ("Goods", "Core"), ("Place", "Peripheral")],
    units=["sell.v", "sell off.v"],
    relations=[("Inherits from", "Giving"), ("See also", "Lost_frame")],
)
RELEASE = {
    "fndata-1.7/frame/Giving.xml": GIVING,
    "fndata-1.7/frame/Commerce_sell.xml": SELLING,
    "fndata-1.7/frRelation.xml": relations_xml(
        [("Inheritance", "Giving", "Commerce_sell"), ("Using", "Commerce_sell", "Elsewhere")]
    ),
    "fndata-1.7/lu/lu1.xml": "not read",
}


def read(path: Path, fmt: str, current: Json | None = None) -> Json:
    value = LEXICON.formats[fmt](path, current)
    return LEXICON.parse(value)


def error_of(path: Path, fmt: str, current: Json | None = None) -> str:
    with pytest.raises(FileError) as excinfo:
        read(path, fmt, current)
    return str(excinfo.value)


def write(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


@pytest.mark.parametrize("kind", ["folder", "zip", "frames only"])
def test_framenet_release_becomes_plain_text(tmp_path, kind):
    if kind == "zip":
        path = write_zip(tmp_path / "release.zip", RELEASE)
    else:
        path = write_folder(tmp_path, RELEASE) / "fndata-1.7"
    lexicon = read(path / "frame" if kind == "frames only" else path, "framenet")
    text = [["A ", ""], ["Seller", "Seller"], [" hands over ", ""], ["Goods", "Goods"]]
    example = [["Our neighbour", "Seller"], [" sold ", ""], ["the old car", "Goods"], [".", ""]]
    assert lexicon == {
        **EMPTY,
        "name": "FrameNet 1.7",
        "frames": {
            "Giving": {
                "definition": [*text, [" & is paid.", ""]],
                "examples": [example],
                "elements": [
                    {"name": "Seller", "core": "Core", "definition": [["The Seller.", ""]]},
                    {"name": "Goods", "core": "Core", "definition": [["The Goods.", ""]]},
                ],
                "units": ["give.v", "give.n"],
                "relations": [
                    {"type": "Inheritance", "frame": "Commerce_sell", "is_parent": False}
                ],
            },
            "Commerce_sell": {
                "definition": [*text, [" & is paid.", ""]],
                "examples": [example],
                "elements": [
                    {"name": "Seller", "core": "Core", "definition": [["The Seller.", ""]]},
                    {"name": "Goods", "core": "Core", "definition": [["The Goods.", ""]]},
                    {"name": "Place", "core": "Peripheral", "definition": [["The Place.", ""]]},
                ],
                "units": ["sell.v", "sell off.v"],
                "relations": [{"type": "Inheritance", "frame": "Giving", "is_parent": True}],
            },
        },
    }


def test_markup_is_not_interpreted_as_html(tmp_path):
    definition = (
        "<def-root>See <a href='javascript:alert(1)'>this</a><script>alert(2)</script> &lt;b&gt;"
        "<ex>An <fex name='Nobody'>example</fex> without an end</def-root>"
    )
    release = {"frame/Odd.xml": frame_xml("Odd", definition=definition)}
    frame = read(write_folder(tmp_path, release), "framenet")["frames"]["Odd"]
    assert frame["definition"] == [["See thisalert(2) <b>", ""]]
    assert frame["examples"] == [[["An example without an end", ""]]]


def test_framenet_import_keeps_roles_and_extra_units_of_remaining_frames(tmp_path):
    rows = [["flog", "Giving", 0.5], ["swap", "Lost", 0.5]]
    current = {**EMPTY, "roles": DEFAULT_ROLES[:1], "extra_units": rows, "core_only": False}
    lexicon = LEXICON.formats["framenet"](write_zip(tmp_path / "r.zip", RELEASE), current)
    assert lexicon["roles"] == DEFAULT_ROLES[:1]
    assert lexicon["extra_units"] == rows[:1]
    assert lexicon["core_only"] is False


@pytest.mark.long
def test_large_release_is_read_within_time_and_memory(tmp_path):
    path = write_zip(tmp_path / "large.zip", large_release(1_200, 13_000))
    start = perf_counter()
    lexicon = read(path, "framenet")
    seconds = perf_counter() - start
    assert len(lexicon["frames"]) == 1_200
    assert sum(len(frame["units"]) for frame in lexicon["frames"].values()) == 13_000
    assert len(lexicon["frames"]["Frame_1"]["relations"]) == 1 + 2 + 1 + 3
    assert seconds <= 20


def test_verbnet_members_inherit_roles(tmp_path):
    path = write_folder(tmp_path / "verbnet3.3", {"give-13.1.xml": VERBNET, "vn_schema-3.xsd": ""})
    lexicon = read(path, "verbnet")
    roles = ["Agent", "Theme", "Recipient"]
    all_roles = [*roles, "Asset", "Barterer"]
    assert lexicon["name"] == "VerbNet 3.3"
    assert lexicon["verbs"] == {
        "lend": [{"class": "give-13.1", "roles": roles}],
        "pass on": [{"class": "give-13.1-1", "roles": all_roles}],
        "sell": [
            {"class": "give-13.1-1", "roles": all_roles},
            {"class": "give-13.1-1-1", "roles": all_roles},
        ],
    }
    names = ["Agent", "Asset", "Recipient", "Theme", "Cognizer", "Content", "Barterer"]
    assert [role["name"] for role in lexicon["roles"]] == names


@pytest.mark.parametrize(
    ("preset", "count", "own"),
    [
        ("semeval-2019", 32, {"Agent/Experiencer", "Causer", "InfoContent", "Initial_State"}),
        ("verbnet", 34, {"Cause", "Cognizer", "Content", "Initial_Location"}),
    ],
)
def test_presets_have_described_roles(preset, count, own):
    roles = ROLE_PRESETS[preset]
    names = {role["name"] for role in roles}
    assert len(names) == len(roles) == count
    assert own < names
    assert all(role["definition"] for role in roles)


@pytest.mark.parametrize("preset", ROLE_PRESETS)
def test_elements_suggest_a_role_of_each_preset(preset):
    names = {role["name"] for role in ROLE_PRESETS[preset]}
    assert [element for element, roles in ELEMENT_ROLES.items() if not names & set(roles)] == []


def test_roles_of_the_released_task_are_the_default():
    assert ROLE_PRESETS["semeval-2019"] == DEFAULT_ROLES


# Files of each broken release, and the expected message.
BROKEN_RELEASES = {
    "cut in half": (
        {**RELEASE, "fndata-1.7/frame/Giving.xml": GIVING[: len(GIVING) // 2]},
        r"fndata-1.7/frame/Giving.xml, line \d+: is not complete XML",
    ),
    "element twice": (
        {"frame/A.xml": frame_xml("A", elements=[("Seller", "Core"), ("Seller", "Core")])},
        "frame/A.xml, line 8: the element 'Seller' of 'A' appears twice.",
    ),
    "frame twice": (
        {"frame/A.xml": frame_xml("A"), "frame/B.xml": frame_xml("A")},
        "frame/B.xml, line 3: the frame 'A' appears twice.",
    ),
    "core type": (
        {"frame/A.xml": frame_xml("A", elements=[("Seller", "Kernel")])},
        "frame/A.xml, line 7: 'Kernel' is not a core type",
    ),
    "no name": (
        {"frame/A.xml": frame_xml("")},
        "frame/A.xml, line 3: <frame> has no name.",
    ),
    "empty file": ({"frame/A.xml": ""}, "frame/A.xml, line 1: is not complete XML"),
    "another file": ({"frame/A.xml": "<a/>"}, "frame/A.xml, line 1: has no <frame>"),
    "no frames": ({"lu/A.xml": "<a/>"}, "has no frame/"),
    "two releases": (
        {"1.5/frame/A.xml": GIVING, "1.7/frame/A.xml": GIVING},
        r"holds several releases \(1.5/frame, 1.7/frame\)",
    ),
    "entities": (
        {"frame/A.xml": '<!DOCTYPE a [<!ENTITY b "c">]>\n<frame name="&b;"/>'},
        "frame/A.xml, line 1: declares entities",
    ),
    "external entity": (
        {"frame/A.xml": '<!DOCTYPE a [\n<!ENTITY b SYSTEM "file:///etc/passwd">]>\n<frame/>'},
        "frame/A.xml, line 2: declares entities",
    ),
    "depth": ({"frame/A.xml": "<a>" * 100_000}, "frame/A.xml, line 1: .*nested too deeply"),
    "encoding": (
        {"frame/A.xml": '<?xml version="1.0" encoding="rot13"?><frame/>'},
        "frame/A.xml, line 1: ",
    ),
    "long definition": (
        {"frame/A.xml": frame_xml("A", definition="x" * 50_000)},
        "frame/A.xml, line 3: the definition is longer than 40,000",
    ),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("case", BROKEN_RELEASES)
def test_broken_release_names_file_and_line(tmp_path, case, packed):
    files, message = BROKEN_RELEASES[case]
    path = tmp_path / "release"
    path = write_zip(path, files) if packed else write_folder(path, files)
    with pytest.raises(FileError, match=message):
        read(path, "framenet")


def test_entity_expansion_is_refused(tmp_path):
    entities = "".join(f'<!ENTITY e{at} "{f"&e{at - 1};" * 10}">' for at in range(1, 12))
    bomb = f'<!DOCTYPE a [<!ENTITY e0 "ha">{entities}]><VNCLASS ID="&e11;"/>'
    message = error_of(write_folder(tmp_path, {"bomb.xml": bomb}), "verbnet")
    assert message.startswith("bomb.xml, line 1: declares entities")


@pytest.mark.slow
def test_zip_bomb_is_refused_in_bounded_memory(tmp_path):
    path = write_zip(tmp_path / "bomb.zip", {"frame/A.xml": b"<a>" + b" " * (200 << 20)})
    tracemalloc.start()
    message = error_of(path, "framenet")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert message == "frame/A.xml: is larger than 32 MiB."
    assert peak < 50 << 20


def test_total_size_of_files_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(xml_files, "MAX_TOTAL_BYTES", 3_000)
    release = {f"frame/{at}.xml": frame_xml(f"F{at}") for at in range(9)}
    assert "with the files before it" in error_of(
        write_zip(tmp_path / "many.zip", release), "framenet"
    )


def test_paths_in_an_archive_are_never_written(tmp_path):
    path = write_zip(tmp_path / "odd.zip", {"../../frame/Giving.xml": GIVING, "__MACOSX/._a": "x"})
    assert list(read(path, "framenet")["frames"]) == ["Giving"]
    assert [path.name for path in tmp_path.iterdir()] == ["odd.zip"]


@pytest.mark.parametrize("fmt", ["framenet", "verbnet"])
def test_damaged_archive_is_refused(tmp_path, fmt):
    name = "frame/A.xml"
    archive_path = write_zip(tmp_path / "a.zip", {name: GIVING if fmt == "framenet" else VERBNET})
    raw = archive_path.read_bytes()
    cut = tmp_path / "cut.zip"
    cut.write_bytes(raw[: len(raw) // 2])
    assert error_of(cut, fmt) == "cut.zip: is neither a folder nor a complete zip file."
    assert "cannot be opened" in error_of(tmp_path / "missing.zip", fmt)
    with zipfile.ZipFile(archive_path) as archive:
        start = archive.getinfo(name).header_offset + 30 + len(name)
    flipped = tmp_path / "flipped.zip"
    flipped.write_bytes(raw[: start + 9] + bytes([raw[start + 9] ^ 255]) + raw[start + 10 :])
    assert error_of(flipped, fmt).startswith("frame/A.xml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('ID="give-13.1-1"', "", "a.xml, line 12: <VNSUBCLASS> has no ID."),
        ('ID="give-13.1-1"', 'ID="give-13.1"', "a.xml, line 12: the class 'give-13.1' appears"),
        ('name="pass_on"', "", "a.xml, line 13: <MEMBER> has no name."),
        ('type="Asset"', "", "a.xml, line 14: <THEMROLE> has no type."),
        ("VNCLASS", "CLASS", "release: has no <VNCLASS>"),
        ("</MEMBERS>", "", r"a.xml, line \d+: is not complete XML"),
    ],
)
def test_broken_verbnet_names_file_and_line(tmp_path, old, new, message):
    path = write_folder(tmp_path / "release", {"a.xml": VERBNET.replace(old, new)})
    with pytest.raises(FileError, match=message):
        read(path, "verbnet")


def test_json_accepts_short_forms_and_the_stored_form(tmp_path):
    lexicon = {
        "name": "Trade",
        "frames": {
            "Giving": {},
            "Commerce_sell": {
                "definition": "A {Seller} {{gives}} it.",
                "examples": ["{Seller|The farm} sold a cow."],
                "elements": [{"name": "Seller"}, {"name": "Place", "core": "Peripheral"}],
                "units": ["sell.v"],
                "relations": [{"type": "Inheritance", "frame": "Giving", "is_parent": True}],
            },
        },
        "roles": ["Agent", {"name": "Thing", "definition": "Any."}],
        "extra_units": [["flog", "Giving", 1]],
    }
    value = read(write(tmp_path, "a.json", lexicon), "json")
    assert value["frames"]["Commerce_sell"] == {
        "definition": [["A ", ""], ["Seller", "Seller"], [" {gives} it.", ""]],
        "examples": [[["The farm", "Seller"], [" sold a cow.", ""]]],
        "elements": [
            {"name": "Seller", "core": "Core", "definition": []},
            {"name": "Place", "core": "Peripheral", "definition": []},
        ],
        "units": ["sell.v"],
        "relations": [{"type": "Inheritance", "frame": "Giving", "is_parent": True}],
    }
    inverse = [{"type": "Inheritance", "frame": "Commerce_sell", "is_parent": False}]
    assert value["frames"]["Giving"]["relations"] == inverse
    assert value["roles"][0] == DEFAULT_ROLES[0]
    assert value["extra_units"] == [["flog", "Giving", 1.0]]
    assert read(write(tmp_path, "stored.json", value), "json") == value
    assert LEXICON.parse(value) == value
    only_roles = read(
        write(tmp_path, "b.json", {"roles": ["X"], "core_only": False}), "json", value
    )
    expected = {**value, "roles": [{"name": "X", "definition": ""}], "core_only": False}
    assert only_roles == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"frames": {\n"A": {', "a.json, line 2: is not complete JSON"),
        ('{"frames": {"A": {},\n"A": {}}}', "a.json, line 2: names 'A' twice."),
        ("[]", "a.json: must be an object."),
        ("[" * 100_000, "a.json: is nested too deeply."),
        ('{"frame": {}}', "a.json: frame: is not a known field."),
        ('{"frames": []}', "a.json: frames: must be an object."),
        ('{"frames": {"A b": {}}}', "a.json: frames.*must be a name without blanks"),
        ('{"frames": {"A": {"elements": [{}]}}}', r"frames.A.elements\[0\].name: must be a text"),
        ('{"frames": {"A": {"definition": "{B}"}}}', "frames.A.definition: mentions 'B'"),
        ('{"frames": {"A": {"definition": "a } b"}}}', "frames.A.definition: has a single '}'"),
        ('{"frames": {"A": {"definition": [["x", "B"]]}}}', "frames.A.definition: mentions 'B'"),
        ('{"frames": {"A": {"definition": "\\u0000"}}}', "holds a control character"),
        (
            '{"frames": {"A": {"elements": [{"name": "B"}, {"name": "B"}]}}}',
            r"frames.A.elements\[1\]: the element 'B' appears twice.",
        ),
        (
            '{"frames": {"A": {"relations": [{"type": "Using", "frame": "B", "is_parent": true}]}}}',
            r"frames.A.relations\[0\].frame: there is no frame 'B'.",
        ),
        ('{"frames": {"A": {"relations": [3]}}}', r"frames.A.relations\[0\]: must be an object"),
        ('{"extra_units": [["a", "B", 1]]}', r"extra_units\[0\]: there is no frame 'B'."),
        ('{"extra_units": [["a", 2, 1]]}', r"extra_units\[0\]: must be a lemma"),
        ("1" * 5_000, "a.json: holds a number with thousands of digits."),
        ('{"extra_units": [["a", "B"]]}', r"extra_units\[0\]: has too few entries"),
        ('{"frames": {"A": {}}, "extra_units": [["a", "A", 1e999]]}', "the score is not a number"),
        ('{"frames": {"A": {}}, "extra_units": [["a", "A", NaN]]}', "the score is not a number"),
        ('{"frames": {"A": {}}, "extra_units": [[" ", "A", 1]]}', "' ' is not a lemma"),
        ('{"roles": ["A", "A"]}', r"roles\[1\]: the role 'A' appears twice."),
        ('{"core_only": 1}', "core_only: "),
    ],
)
def test_broken_json_names_line_or_field(tmp_path, text, message):
    with pytest.raises(FileError, match=message):
        read(write(tmp_path, "a.json", text), "json")


def test_undecodable_json_names_its_line(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b'{"name":\n"\xff"}')
    assert error_of(path, "json") == "a.json, line 2: is not UTF-8 text."


def test_invalid_lexicon_is_refused():
    for value in (None, [], {}, {"frames": {}}, {**EMPTY, "frames": {"A": None}}):
        with pytest.raises(ContentError):
            LEXICON.parse(value)


def test_extra_units_replace_earlier_ones(tmp_path):
    current = read(write_zip(tmp_path / "r.zip", RELEASE), "framenet")
    current["extra_units"] = [["old", "Giving", 1.0]]
    path = write(
        tmp_path, "a.csv", "\ufefflemma,frame,score\nhand_over,Giving,0.7\n\nflog,Giving,1\n"
    )
    rows = [["hand over", "Giving", 0.7], ["flog", "Giving", 1.0]]
    assert read(path, "csv", current) == {**current, "extra_units": rows}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.csv: is empty"),
        ("lemma,frame\n", "a.csv, line 1: the header must be: lemma,frame,score"),
        ("lemma,frame,score\na,Giving\n", "a.csv, line 2: row: has 2 fields instead of 3."),
        ("lemma,frame,score\n\n,Giving,1\n", "a.csv, line 3: lemma: '' is not a lemma."),
        ("lemma,frame,score\na,Lost,1\n", "a.csv, line 2: frame: the lexicon has no frame 'Lost'."),
        ("lemma,frame,score\na,Giving,nan\n", "a.csv, line 2: score: 'nan' is not a number."),
        ("lemma,frame,score\na,Giving,x\n", "a.csv, line 2: score: 'x' is not a number."),
        ('lemma,frame,score\na,"Giv"ing,1\n', "a.csv, line 2: is not CSV"),
        (
            "lemma,frame,score\na,Giving,1\na,Giving,1\n",
            "a.csv, line 3: gives 'a' and 'Giving' a second time.",
        ),
    ],
)
def test_broken_extra_units_name_the_line(tmp_path, text, message):
    current = read(write_zip(tmp_path / "r.zip", RELEASE), "framenet")
    assert error_of(write(tmp_path, "a.csv", text), "csv", current).startswith(message)


# --- reference records ---------------------------------------------------------------------------

RECORDS = {
    "gold/task-a.txt": "#1 2 Buy.Commerce_sell\n#2 2 buy.Giving\n#3 4_5 buy_up.Giving\n",
    "gold/task-b1.txt": "#1 2 Buy.Commerce_sell he-:-1-:-Seller it-:-3-:-Goods\n#2 2 buy.Giving\n",
    "gold/task-b2.txt": "#1 2 Buy.na he-:-1-:-Agent it-:-3-:-Theme\n#2 2 buy.na she-:-1-:-Agent\n",
    "gold/.hidden.txt": "no record",
    "gold/read.me": "no record",
}
COUNTS = {
    "verb_frames": [["buy", "Commerce_sell", 1], ["buy", "Giving", 1], ["buy_up", "Giving", 1]],
    "element_roles": [
        ["Commerce_sell", "Goods", "Theme", 1],
        ["Commerce_sell", "Seller", "Agent", 1],
    ],
}


@pytest.mark.parametrize("write_release", [write_folder, write_zip])
def test_reference_records_are_counted(tmp_path, write_release):
    lexicon = read(write_release(tmp_path / "gold", RECORDS), "semeval", EMPTY)
    assert {name: lexicon[name] for name in COUNTS} == COUNTS
    assert LEXICON.count(lexicon)["reference records"] == 3
    assert LEXICON.index(lexicon)["chosen"] == COUNTS["verb_frames"]
    # A further import replaces the counts, and keeps the other parts.
    release = {"one.txt": "#1 2 sell.Giving it-:-3-:-Theme\n"}
    again = read(write_release(tmp_path / "again", release), "semeval", lexicon)
    assert (again["verb_frames"], again["roles"]) == ([["sell", "Giving", 1]], lexicon["roles"])


def test_reference_roles_are_those_of_the_frame(tmp_path):
    current = read(write_folder(tmp_path / "net", RELEASE), "framenet")
    lexicon = read(write_folder(tmp_path, RECORDS), "semeval", current)
    (frame,) = LEXICON.look_up(lexicon, "Commerce_sell")
    assert frame["element_roles"] == {"Goods": ["Theme"], "Seller": ["Agent"]}
    (other,) = LEXICON.look_up(lexicon, "Giving")
    assert other["element_roles"] == {}
    # Versions that were stored before records could be imported lack both fields.
    older = {name: value for name, value in current.items() if name not in COUNTS}
    assert LEXICON.index(older)["chosen"] == []
    assert "reference records" not in LEXICON.count(older)
    assert LEXICON.look_up(older, "Giving")[0]["element_roles"] == {}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.txt": "#1 2 buy.Giving\nnonsense\n"}, "a.txt, line 2: has 1 fields"),
        ({"b2.txt": "#1 2 buy.na it-:-3-:-Theme\n"}, "has no record with a frame"),
        ({"a.json": "{}"}, "has no text files"),
    ],
)
def test_broken_reference_records_are_refused(tmp_path, files, message):
    assert message in error_of(write_folder(tmp_path, files), "semeval")


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        ("verb_frames", [["buy", "Giving"]]),
        ("verb_frames", [["buy", "Giving", 0]]),
        ("verb_frames", [["buy", "Giving", True]]),
        ("verb_frames", [[]]),
        ("element_roles", [["Giving", "Donor", 3]]),
        ("element_roles", [["Giving", "", "Agent", 3]]),
    ],
)
def test_counts_of_another_shape_are_refused(part, rows):
    with pytest.raises(ContentError, match=f"{part}\\[0\\]"):
        LEXICON.parse({**EMPTY, part: rows})


def test_files_of_reference_records_may_have_long_names(tmp_path):
    name = f"{'é' * 150}.txt"
    files = dict(zip([name, *list(RECORDS)[1:]], RECORDS.values(), strict=True))
    release = write_zip(tmp_path / "gold.zip", files)
    assert read(release, "semeval") == read(write_folder(tmp_path / "gold", RECORDS), "semeval")

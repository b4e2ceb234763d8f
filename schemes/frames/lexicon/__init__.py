"""The lexicon of a project: frames, generic roles, verbs and extra lexical units."""

from schemes.contract.resources import Resource, ResourceBrowser, ResourcePreset, ResourceSwitch
from schemes.contract.values import Noun
from schemes.frames.lexicon.add_roles import add_roles
from schemes.frames.lexicon.browse import describe, entries
from schemes.frames.lexicon.counts import count
from schemes.frames.lexicon.extra_units import read_extra_units
from schemes.frames.lexicon.framenet import read_framenet
from schemes.frames.lexicon.json_file import read_json
from schemes.frames.lexicon.lost import lost
from schemes.frames.lexicon.roles import ROLE_PRESETS
from schemes.frames.lexicon.search import index_of, look_up
from schemes.frames.lexicon.value import EMPTY, parse
from schemes.frames.lexicon.verbnet import read_verbnet

LEXICON = Resource(
    label="Lexicon",
    parse=parse,
    look_up=look_up,
    formats={
        "framenet": read_framenet,
        "verbnet": read_verbnet,
        "json": read_json,
        "csv": read_extra_units,
    },
    index=index_of,
    lost=lost,
    count=count,
    switches=(
        ResourceSwitch(
            key="core_only",
            label="Annotate core elements only",
            on="core-only",
            off="with-optional",
        ),
    ),
    presets=(
        ResourcePreset(
            key="roles",
            label="Generic roles",
            values={name: list(roles) for name, roles in ROLE_PRESETS.items()},
        ),
    ),
    add_labels=add_roles,
    empty=EMPTY,
    browser=ResourceBrowser(
        noun=Noun("frame", "frames"),
        help="Name, lexical unit or words of the definition.",
        search=entries,
        describe=describe,
    ),
)

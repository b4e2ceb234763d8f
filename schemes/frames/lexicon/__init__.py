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


class FrameBrowser(ResourceBrowser):
    """Pages of frames."""

    noun = Noun("frame", "frames")
    help = "Name, lexical unit or words of the definition."
    search = staticmethod(entries)
    describe = staticmethod(describe)


class Lexicon(Resource):
    """The lexicon of a project."""

    label = "Lexicon"
    formats = {
        "framenet": read_framenet,
        "verbnet": read_verbnet,
        "json": read_json,
        "csv": read_extra_units,
    }
    switches = (
        ResourceSwitch(
            key="core_only",
            label="Annotate core elements only",
            on="core-only",
            off="with-optional",
        ),
    )
    presets = (
        ResourcePreset(
            key="roles",
            label="Generic roles",
            values={name: list(roles) for name, roles in ROLE_PRESETS.items()},
        ),
    )
    empty = EMPTY
    browser = FrameBrowser()
    parse = staticmethod(parse)
    look_up = staticmethod(look_up)
    index = staticmethod(index_of)
    lost = staticmethod(lost)
    count = staticmethod(count)
    add_labels = staticmethod(add_roles)


LEXICON = Lexicon()

"""The lexicon of a project: frames, generic roles, verbs and extra lexical units."""

from schemes.contract.errors import ContentError
from schemes.contract.resources import Resource, ResourceBrowser, ResourcePreset, ResourceSwitch
from schemes.contract.values import Json, Noun
from schemes.frames.lexicon.browse import describe, entries
from schemes.frames.lexicon.extra_units import read_extra_units
from schemes.frames.lexicon.framenet import read_framenet
from schemes.frames.lexicon.json_file import read_json
from schemes.frames.lexicon.proposals import UnitProposals
from schemes.frames.lexicon.reference import read_reference
from schemes.frames.lexicon.roles import ROLE_PRESETS, described_role
from schemes.frames.lexicon.search import index_of, look_up
from schemes.frames.lexicon.value import EMPTY, MAX_ROLES, parse
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
        "semeval": read_reference,
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
    proposals = UnitProposals()
    parse = staticmethod(parse)
    look_up = staticmethod(look_up)
    index = staticmethod(index_of)

    def count(self, value: Json) -> dict[str, int]:
        frames = value["frames"].values()
        relations = sum(len(frame["relations"]) for frame in frames)
        records = sum(row[-1] for row in value.get("verb_frames", ()))
        return {
            "frames": len(frames),
            "elements": sum(len(frame["elements"]) for frame in frames),
            "lexical units": sum(len(frame["units"]) for frame in frames),
            "relations": relations // 2,  # each is listed by both of its frames
            "roles": len(value["roles"]),
            "verbs with classes": len(value["verbs"]),
            "extra lexical units": len(value["extra_units"]),
            **({"reference records": records} if records else {}),
        }

    def lost(self, value: Json, content: Json) -> list[str]:
        """Return a sentence for each frame, element or role of a record that the lexicon lacks.

        Of a verification, the record as the verifier would have it counts.
        """
        record = content.get("record") or content
        name = record.get("frame", "")
        frame = value["frames"].get(name)
        arguments = record.get("arguments", [])
        sentences = [f"The frame {name} does not exist."] if name and frame is None else []
        if frame is not None:
            elements = {element["name"] for element in frame["elements"]}
            sentences += [
                f"The frame {name} has no element {argument['element']}."
                for argument in arguments
                if argument["element"] and argument["element"] not in elements
            ]
        roles = {role["name"] for role in value["roles"]}
        sentences += [
            f"The role {argument['role']} does not exist."
            for argument in arguments
            if argument["role"] and argument["role"] not in roles
        ]
        return list(dict.fromkeys(sentences))

    @staticmethod
    def add_labels(value: Json, content: Json) -> tuple[Json, list[str]]:
        """Return the lexicon with the record's unknown roles, and their names.

        Raise ContentError if the lexicon would have too many roles.
        """
        known = {role["name"] for role in value["roles"]}
        used = dict.fromkeys(argument["role"] for argument in content["arguments"])
        new = [role for role in used if role and role not in known]
        if len(known) + len(new) > MAX_ROLES:
            raise ContentError("", f"a lexicon can have at most {MAX_ROLES} roles.")
        return {**value, "roles": [*value["roles"], *map(described_role, new)]}, new


LEXICON = Lexicon()

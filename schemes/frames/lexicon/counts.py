"""Numbers of a lexicon's parts."""

from schemes.contract.values import Json


def count(value: Json) -> dict[str, int]:
    frames = value["frames"].values()
    relations = sum(len(frame["relations"]) for frame in frames)
    return {
        "frames": len(frames),
        "elements": sum(len(frame["elements"]) for frame in frames),
        "lexical units": sum(len(frame["units"]) for frame in frames),
        "relations": relations // 2,  # each is listed by both of its frames
        "roles": len(value["roles"]),
        "verbs with classes": len(value["verbs"]),
        "extra lexical units": len(value["extra_units"]),
    }

"""Parts of records that a lexicon lacks."""

from schemes.contract.values import Json


def lost(value: Json, content: Json) -> list[str]:
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

"""A small lexicon for page tests."""

from schemes.contract.values import Json


def frame(definition: str, units: list[str], **elements: str) -> Json:
    """Return a frame. `elements` maps names to core types."""
    return {
        "definition": [[definition, ""]],
        "examples": [[["An example of this.", ""]], [["And another one.", ""]], [["A third.", ""]]],
        "elements": [
            {"name": name, "core": core, "definition": [[f"What {name} means.", ""]]}
            for name, core in elements.items()
        ],
        "units": units,
        "relations": [],
    }


ROLES = ["Agent", "Theme", "Recipient", "Asset", "Source", "Goal", "Time"]
LEXICON: Json = {
    "name": "Test",
    "frames": {
        "Origin": frame(
            "Something has its beginning in a place.",
            ["come from.v", "origin.n"],
            Entity="Core",
            Origin="Core",
            Time="Peripheral",
        ),
        "Arriving": frame(
            "Something moves and reaches a goal.",
            ["come.v", "arrive.v"],
            Theme="Core",
            Goal="Core-Unexpressed",
            Source="Peripheral",
        ),
        "Commerce_sell": frame(
            "Somebody gives goods for money.",
            ["sell.v"],
            Seller="Core",
            Buyer="Core",
            Goods="Core",
            Money="Extra-Thematic",
        ),
        "Becoming": frame("Something changes into another state.", ["become.v"], Entity="Core"),
    },
    "roles": [{"name": name, "definition": f"The {name.lower()}."} for name in ROLES],
    "verbs": {},
    "extra_units": [["come", "Becoming", 0.4]],
    "core_only": True,
}

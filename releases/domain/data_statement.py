"""The data statement and the datasheet of a release, with topics left for the authors."""

from collections.abc import Sequence

from releases.domain.released import Released
from releases.domain.topics import answer
from web.money import dollars

_Section = tuple[str, Sequence[str]]


def data_statement(released: Released) -> str:
    """Return the data statement, after Bender and Friedman (2018)."""
    return _document(
        f"Data statement of {released.title} {released.release.version}",
        [
            ("Curation rationale", [_ask(released, "rationale")]),
            ("Language variety", [f"Language: `{released.facts['language']}` (BCP 47)."]),
            ("Speaker demographic", [_ask(released, "speakers")]),
            (
                "Annotator demographic",
                [*_annotators(released), _ask(released, "guideline_authors")],
            ),
            ("Speech situation", [_ask(released, "situation")]),
            ("Text characteristics", [_ask(released, "genre")]),
            ("Recording quality", ["The dataset has no recordings."]),
            ("Other", [_section(released, "limits")]),
            ("Provenance appendix", [_ask(released, "origin")]),
        ],
    )


def datasheet(released: Released) -> str:
    """Return the datasheet, after Gebru et al. (2021)."""
    details, counts = released.details, released.manifest["counts"]
    authors = ", ".join(author.name for author in details.authors)
    withdrawn = len(released.facts["withdrawn"])
    return _document(
        f"Datasheet of {released.title} {released.release.version}",
        [
            (
                "Motivation",
                [
                    _ask(released, "rationale"),
                    f"Created by {authors}.",
                    f"Funding: {details.funding or 'none was stated'}.",
                ],
            ),
            (
                "Composition",
                [
                    f"{counts['items']:,} items in {counts['sentences']:,} sentences.",
                    f"Items of the project that were withdrawn and are left out: {withdrawn:,}.",
                    _section(released, "limits"),
                    _ask(released, "personal"),
                ],
            ),
            (
                "Collection process",
                [
                    _ask(released, "origin"),
                    _period(released),
                    *_annotators(released),
                    _section(released, "cost"),
                    _section(released, "consent"),
                    _ask(released, "ethics"),
                ],
            ),
            (
                "Preprocessing, cleaning and labelling",
                [
                    _section(released, "annotation"),
                    f"Protocol: {released.facts['protocol']}, with "
                    f"{released.facts['generators_per_item']} annotators per item.",
                    _guidelines(released),
                    _section(released, "quality"),
                ],
            ),
            (
                "Uses",
                [_ask(released, key) for key in ("uses", "misuses", "biases", "impact")],
            ),
            (
                "Distribution",
                [
                    f"Licence of the annotations: {details.licence}.",
                    f"Licence of the texts: {details.text_licence or 'not stated'}.",
                ],
            ),
            (
                "Maintenance",
                [
                    _ask(released, "maintenance"),
                    f"Contact: {details.contact}." if details.contact else "",
                    "A release never changes. Corrections and withdrawals are in a later version.",
                ],
            ),
        ],
    )


def _document(title: str, sections: Sequence[_Section]) -> str:
    parts = [f"# {title}"]
    for heading, texts in sections:
        parts += [f"## {heading}", *(text for text in texts if text)]
    return "\n\n".join(parts) + "\n"


def _ask(released: Released, key: str) -> str:
    return answer(key, released.details.answers)


def _section(released: Released, name: str) -> str:
    """Return a section of the data card, one level below the headings of the document."""
    text: str = released.facts["sections"][name]
    return "\n".join(f"#{line}" if line.startswith("## ") else line for line in text.split("\n"))


def _annotators(released: Released) -> list[str]:
    locations = [
        f"Work was offered in these countries: {', '.join(requirement['locales'])}."
        for requirement in released.facts["requirements"]
        if requirement.get("locales")
    ]
    trained = [
        f"- {stage['title']}: {stage['started']} began, {stage['passed']} passed, at a cost of "
        f"{dollars(stage['cents'])}."
        for stage in released.facts["training"]
    ]
    training = "\n".join(["Training rounds:", "", *trained]) if trained else ""
    sections = (_section(released, name) for name in ("annotators", "questionnaire"))
    return [*sections, *locations, training]


def _period(released: Released) -> str:
    period = released.facts["period"]
    if not period:
        return ""
    first, last = period
    return f"Annotated on {first}." if first == last else f"Annotated between {first} and {last}."


def _guidelines(released: Released) -> str:
    names = [f"`{guidelines_name(row)}`" for row in released.facts["guidelines"]]
    return f"The guidelines in full: {', '.join(names)}." if names else ""


def guidelines_name(guidelines: dict[str, str]) -> str:
    """Return the name of the file with a version of the guidelines, or with a translation of it."""
    language = guidelines.get("translation")  # not in releases of earlier versions
    ending = f"{language}.md" if language else "md"
    return f"guidelines/{guidelines['role']}-{guidelines['version']}.{ending}"

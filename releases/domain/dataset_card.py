"""README.md of a release: a dataset card with the front matter that dataset hubs read."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from consolidation.enums import GoldSource
from datasets.domain.exports.data_card import SIMULATED, size_category
from releases.domain.citation import bibtex, keywords_of
from releases.domain.licences import licence_address, licence_name, licence_on_hubs
from releases.domain.parquet import Split
from releases.domain.released import Released
from releases.domain.topics import open_topics
from web.money import dollars

# The vocabulary of hubs for those who made the gold.
_CREATORS = {
    GoldSource.CONSOLIDATED: "crowdsourced",
    GoldSource.VALIDATED: "crowdsourced",
    GoldSource.EXPERT: "expert-generated",
}
_SECTIONS = (
    *("annotation", "annotators", "consent", "questionnaire", "signals"),
    *("quality", "cost", "limits"),
)


def dataset_card(
    released: Released, files: Mapping[str, Mapping[str, Any]], splits: Sequence[Split]
) -> str:
    """Return the card. `files` are those of the manifest so far."""
    sections: Mapping[str, str] = released.facts["sections"]
    parts = [
        front_matter(released, splits),
        f"# {released.title} {released.release.version}",
        SIMULATED if released.facts["simulated"] else "",
        _summary(released),
        _contents(released, files, splits),
        *(sections[name] for name in _SECTIONS),
        _training(released),
        _models(released),
        _open(released),
        _licences(released),
        "\n".join(["## Citation", "", "```bibtex", bibtex(released), "```"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def front_matter(released: Released, splits: Sequence[Split]) -> str:
    """Return the YAML block that begins the card."""
    details, facts = released.details, released.facts
    values: dict[str, Any] = {
        "pretty_name": released.title,
        # Hubs know languages without regions and scripts.
        "language": [facts["language"].partition("-")[0]],
        "language_bcp47": [facts["language"]],
        "license": licence_on_hubs(details.licence),
        "annotations_creators": [_CREATORS.get(released.manifest["source"], "other")],
        "language_creators": ["found"],
        "multilinguality": ["monolingual"],
        "size_categories": [size_category(released.manifest["counts"]["items"])],
        "source_datasets": ["original"],
        "task_categories": list(released.scheme.vocabulary.task_categories),
        "tags": [released.release.project.scheme, "touchstone", *keywords_of(released)[1:3]],
        "configs": [
            {
                "config_name": "default",
                "default": True,
                "data_files": [{"split": split.name, "path": split.path} for split in splits],
            }
        ],
        "dataset_info": {
            "config_name": "default",
            "splits": [{"name": split.name, "num_examples": split.items} for split in splits],
        },
    }
    if values["license"] == "other":
        values |= {"license_name": details.licence.lower(), "license_link": "README.md"}
    # JSON is valid YAML and escapes titles safely.
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    return "\n".join(["---", *lines, "---"])


def _summary(released: Released) -> str:
    authors = ", ".join(author.name for author in released.details.authors)
    earlier = released.earlier
    lines = [
        f"{released.description()} Version {released.release.version}, released on {released.day} by "
        f"{authors}.",
        released.details.notes,
        f"Version {earlier['version']} is at <https://doi.org/{earlier['doi']}>."
        if earlier
        else "",
    ]
    return "\n\n".join(line for line in lines if line)


def _contents(
    released: Released, files: Mapping[str, Mapping[str, Any]], splits: Sequence[Split]
) -> str:
    counts = released.manifest["counts"]
    totals = [
        total.noun.count(counts[total.key])
        for total in released.scheme.totals_of_gold(validated=True)
        if total.key in counts
    ]
    with_totals = f", with {' and '.join(totals)}" if totals else ""
    folders: dict[str, int] = {}
    for name, facts in files.items():
        folder, slash, _ = name.rpartition("/")
        shown = f"{'/'.join(folder.split('/')[:2])}/" if slash else name
        folders[shown] = folders.get(shown, 0) + facts["bytes"]
    return "\n".join(
        [
            "## Contents",
            "",
            f"{released.scheme.vocabulary.item.count(counts['items'])}{with_totals}. `data` has "
            "Parquet files, `gold` the formats of the scheme, and `items.jsonl` all items with their "
            "provenance. `manifest.json` has the checksum of each file.",
            "",
            "| split | items |",
            "| --- | ---: |",
            *(f"| {split.name} | {split.items:,} |" for split in splits),
            "",
            "| files | bytes |",
            "| --- | ---: |",
            *(f"| {name} | {size:,} |" for name, size in sorted(folders.items())),
        ]
    )


def _training(released: Released) -> str:
    stages = released.facts["training"]
    if not stages:
        return ""
    rows = [
        f"| {stage['title']} | {stage['started']} | {stage['finished']} | {stage['passed']} "
        f"| {dollars(stage['cents'])} |"
        for stage in stages
    ]
    header = [
        "| Round | Started | Finished | Passed | Cost |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    return "\n".join(["## Training", "", *header, *rows])


def _models(released: Released) -> str:
    models = released.facts["models"]
    if not models:
        return ""
    rows = []
    for model in models:
        facts = f" ({model['model']}, temperature {model['temperature']})" if model["model"] else ""
        rows.append(f"- {model['name']}{facts}")
    return "\n".join(["## Models and programs that annotated items", "", *rows])


def _open(released: Released) -> str:
    topics = open_topics(released.details.answers)
    if not topics:
        return ""
    named = ", ".join(topic.label.lower() for topic in topics)
    return (
        "## Open topics\n\nThe authors have written nothing about these topics of `DATA_STATEMENT.md` "
        f"and `DATASHEET.md`: {named}."
    )


def _licences(released: Released) -> str:
    details = released.details
    texts = (
        f"The texts: {_named(details.text_licence)}."
        if details.text_licence
        else "The licence of the texts was not stated. Ask the authors before you redistribute them."
    )
    return f"## Licences\n\nThe annotations: {_named(details.licence)}. {texts}"


def _named(licence: str) -> str:
    address = licence_address(licence)
    return f"[{licence_name(licence)}]({address})" if address else licence

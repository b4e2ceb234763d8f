"""The dataset in Croissant 1.0, JSON-LD for machine learning, with its vocabulary for responsible AI."""

from collections.abc import Mapping, Sequence
from typing import Any

from releases.domain.citation import bibtex, keywords_of
from releases.domain.details import ORCID_ADDRESS, Author
from releases.domain.licences import licence_address
from releases.domain.parquet import COLUMNS, Split
from releases.domain.released import Released
from releases.domain.topics import answer

PARQUET = "application/x-parquet"
SPECIFICATIONS = ("http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0")
_OWN_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty"),
    *("fileObject", "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5"),
    *("parentField", "path", "recordSet", "references", "regex", "repeated", "replace"),
    *("samplingRate", "separator", "source", "subField", "transform"),
)
# The terms that the specification's readers expect.
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _OWN_TERMS},
}
_TYPES = {
    "json": "application/json",
    "jsonl": "application/jsonl",
    "csv": "text/csv",
    "md": "text/markdown",
    "parquet": PARQUET,
    "txt": "text/plain",
    "xml": "application/xml",
    "gz": "application/gzip",
    "jpg": "image/jpeg",
    "png": "image/png",
    "zip": "application/zip",
    "cff": "application/yaml",
    "pdf": "application/pdf",
    "svg": "image/svg+xml",
    "tex": "application/x-tex",
}


def croissant_json(
    released: Released, files: Mapping[str, Mapping[str, Any]], splits: Sequence[Split]
) -> dict[str, Any]:
    """Return the description of the files, which are those of the manifest so far.

    Each split is a set of records. Only columns of the same type in all datasets are described.
    """
    details = released.details
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(SPECIFICATIONS),
        "name": released.facts["name"],
        "alternateName": released.title,
        "description": released.description(),
        "version": released.full_version,
        "datePublished": released.day,
        "inLanguage": released.facts["language"],
        "keywords": keywords_of(released),
        "license": [
            licence_address(licence) or licence
            for licence in dict.fromkeys([details.licence, details.text_licence])
            if licence
        ],
        "creator": [_person(author) for author in details.authors],
        "citeAs": bibtex(released),
        **({"url": details.url} if details.url else {}),
        **responsible_ai(released),
        "distribution": [_file_object(name, facts) for name, facts in sorted(files.items())],
        "recordSet": [_record_set(split) for split in splits],
    }


def _person(author: Author) -> dict[str, Any]:
    person: dict[str, Any] = {"@type": "sc:Person" if author.given else "sc:Organization"}
    person["name"] = author.name
    if author.given:
        person |= {"givenName": author.given, "familyName": author.family}
    if author.affiliation and author.given:
        person["affiliation"] = {"@type": "sc:Organization", "name": author.affiliation}
    if author.orcid:
        person["url"] = f"{ORCID_ADDRESS}{author.orcid}"
    return person


def _file_object(name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{facts['bytes']} B",
        "encodingFormat": _TYPES.get(name.rpartition(".")[2], "application/octet-stream"),
        "sha256": facts["sha256"],
    }


def _record_set(split: Split) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": split.name,
        "name": split.name,
        "description": f"The {split.items:,} items of the split {split.name}.",
        "key": {"@id": f"{split.name}/id"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{split.name}/{column}",
                "name": column,
                "description": meaning,
                "dataType": "sc:Text",
                **({"repeated": True} if column == "tokens" else {}),
                "source": {"fileObject": {"@id": split.path}, "extract": {"column": column}},
            }
            for column, (_, meaning) in COLUMNS.items()
        ],
    }


def responsible_ai(released: Released) -> dict[str, Any]:
    """Return the properties of the vocabulary for responsible AI that have a value."""
    facts, sections, answers = released.facts, released.facts["sections"], released.details.answers
    given = {
        "rai:dataCollection": answer("rationale", answers),
        "rai:dataCollectionRawData": answer("origin", answers),
        "rai:dataCollectionType": ["Manual Human Curator"],
        "rai:dataCollectionTimeframe": facts["period"],
        "rai:dataAnnotationProtocol": [_without_heading(sections["annotation"])],
        "rai:dataAnnotationPlatform": [f"{released.manifest['software']} on {facts['crowd']}"],
        "rai:dataAnnotationAnalysis": [_without_heading(sections["quality"])],
        "rai:annotationsPerItem": str(facts["generators_per_item"]),
        "rai:annotatorDemographics": [
            text
            for name in ("annotators", "questionnaire")
            if (text := _without_heading(sections[name]))
        ],
        "rai:machineAnnotationTools": [
            f"{model['name']} ({model['model']})" if model["model"] else model["name"]
            for model in facts["models"]
        ],
        "rai:dataUseCases": [answer("uses", answers)],
        "rai:dataLimitations": [_without_heading(sections["limits"]), answer("misuses", answers)],
        "rai:dataBiases": [answer("biases", answers)],
        "rai:dataSocialImpact": answer("impact", answers),
        "rai:personalSensitiveInformation": [answer("personal", answers)],
        "rai:dataReleaseMaintenancePlan": answer("maintenance", answers),
    }
    return {name: value for name, value in given.items() if value and value != [""]}


def _without_heading(section: str) -> str:
    """Return the text of a section of the data card."""
    return section.partition("\n\n")[2] if section.startswith("## ") else section

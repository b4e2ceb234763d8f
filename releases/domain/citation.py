"""How to cite a release: BibTeX, CITATION.cff, and the metadata of DataCite and Zenodo."""

import re
from collections.abc import Mapping
from html import escape
from typing import Any

import yaml

from releases.domain.details import ORCID_ADDRESS, Author
from releases.domain.licences import LICENCES, licence_address, licence_name
from releases.domain.released import Released

CFF_VERSION = "1.2.0"
MESSAGE = "If you use this dataset, please cite it as below."
DATACITE = "http://datacite.org/schema/kernel-4"
_SPECIAL = re.compile("[&%$#_]")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


def keywords_of(released: Released) -> list[str]:
    """Return the keywords of the dataset."""
    return [released.scheme.title, "gold standard", "crowdsourcing", released.facts["language"]]


def bibtex(released: Released) -> str:
    """Return the entry for LaTeX."""
    authors = " and ".join(_braced(author.sorted_name) for author in released.details.authors)
    key = f"{released.facts['name']}-{released.release.version}"
    lines = [
        f"@misc{{{key},",
        f"  author = {{{authors}}},",
        f"  title = {{{_braced(released.title)}}},",
        f"  year = {{{released.day[:4]}}},",
        f"  version = {{{released.release.version}}},",
        *(
            [f"  howpublished = {{\\url{{{released.details.url}}}}},"]
            if released.details.url
            else []
        ),
        f"  note = {{Annotated with {released.manifest['software']}}}",
        "}",
    ]
    return "\n".join(lines)


def _braced(text: str) -> str:
    """Return a text for a field in braces, with LaTeX's special characters escaped."""
    return _SPECIAL.sub(r"\\\g<0>", re.sub(r"[{}\\]", "", text))


def citation_cff(released: Released) -> str:
    """Return the text of CITATION.cff."""
    details = released.details
    facts: dict[str, Any] = {
        "cff-version": CFF_VERSION,
        "message": MESSAGE,
        "type": "dataset",
        "title": released.title,
        "abstract": released.description(),
        "version": released.release.version,
        "date-released": released.day,
        "authors": [_cff_person(author) for author in details.authors],
        "keywords": keywords_of(released),
    }
    if details.licence in LICENCES:
        facts["license"] = details.licence
    if details.url:
        facts["url"] = details.url
    if concept := released.earlier.get("concept_doi"):
        description = "All versions of the dataset"
        facts["identifiers"] = [{"type": "doi", "value": concept, "description": description}]
    if _EMAIL.fullmatch(details.contact):
        facts["contact"] = [{"name": details.contact, "email": details.contact}]
    text: str = yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, width=100)
    return text


def _cff_person(author: Author) -> dict[str, str]:
    if not author.given:
        return {"name": author.family}
    person = {"family-names": author.family, "given-names": author.given}
    if author.affiliation:
        person["affiliation"] = author.affiliation
    if author.orcid:
        person["orcid"] = f"{ORCID_ADDRESS}{author.orcid}"
    return person


def datacite_json(released: Released) -> dict[str, Any]:
    """Return metadata in the JSON of DataCite's schema 4, without the DOI that an archive assigns."""
    details = released.details
    metadata: dict[str, Any] = {
        "schemaVersion": DATACITE,
        "creators": [_datacite_person(author) for author in details.authors],
        "titles": [{"title": released.title}],
        "publisher": {"name": details.authors[0].affiliation or details.authors[0].name},
        "publicationYear": released.day[:4],
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Annotated corpus"},
        "subjects": [{"subject": keyword} for keyword in keywords_of(released)],
        "dates": [{"date": released.day, "dateType": "Issued"}],
        "language": released.facts["language"],
        "version": released.release.version,
        "rightsList": [_rights(details.licence)],
        "descriptions": [
            {"description": released.description(), "descriptionType": "Abstract"},
            *(
                [{"description": details.notes, "descriptionType": "TechnicalInfo"}]
                if details.notes
                else []
            ),
        ],
        "sizes": [f"{released.manifest['counts']['items']} items"],
        "formats": ["application/x-parquet", "application/jsonl"],
    }
    if details.text_licence:
        metadata["rightsList"].append(_rights(details.text_licence))
    if released.earlier:
        metadata["relatedIdentifiers"] = _related(released.earlier)
    if details.contact:
        contact = {"name": details.contact, "contributorType": "ContactPerson"}
        metadata["contributors"] = [contact]
    if details.funding:
        metadata["fundingReferences"] = [
            {"funderName": line.strip()} for line in details.funding.splitlines() if line.strip()
        ]
    return metadata


def _related(earlier: Mapping[str, str]) -> list[dict[str, str]]:
    relations = {"IsNewVersionOf": earlier["doi"], "IsVersionOf": earlier["concept_doi"]}
    return [
        {
            "relatedIdentifier": doi,
            "relatedIdentifierType": "DOI",
            "relationType": relation,
        }
        for relation, doi in relations.items()
        if doi
    ]


def _datacite_person(author: Author) -> dict[str, Any]:
    person: dict[str, Any] = {"name": author.sorted_name, "nameType": "Organizational"}
    if author.given:
        person |= {
            "nameType": "Personal",
            "givenName": author.given,
            "familyName": author.family,
        }
    if author.affiliation:
        person["affiliation"] = [{"name": author.affiliation}]
    if author.orcid:
        person["nameIdentifiers"] = [
            {
                "nameIdentifier": f"{ORCID_ADDRESS}{author.orcid}",
                "nameIdentifierScheme": "ORCID",
                "schemeUri": ORCID_ADDRESS.rstrip("/"),
            }
        ]
    return person


def _rights(licence: str) -> dict[str, str]:
    if licence not in LICENCES:
        return {"rights": licence}
    return {
        "rights": licence_name(licence),
        "rightsIdentifier": licence,
        "rightsIdentifierScheme": "SPDX",
        "rightsUri": licence_address(licence),
    }


def zenodo_json(released: Released) -> dict[str, Any]:
    """Return the body of a request that creates a deposit at Zenodo."""
    details = released.details
    creators = []
    for author in details.authors:
        creator = {"name": author.sorted_name}
        if author.affiliation:
            creator["affiliation"] = author.affiliation
        if author.orcid:
            creator["orcid"] = author.orcid
        creators.append(creator)
    paragraphs = [released.description(), details.notes, details.funding]
    metadata: dict[str, Any] = {
        "title": released.title,
        "upload_type": "dataset",
        "publication_date": released.day,
        "version": released.release.version,
        "description": "".join(f"<p>{escape(text)}</p>" for text in paragraphs if text),
        "creators": creators,
        "keywords": keywords_of(released),
        "access_right": "open",
    }
    if details.licence in LICENCES:
        metadata["license"] = details.licence.lower()
    return {"metadata": metadata}

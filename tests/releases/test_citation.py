"""Citation files and metadata of archives, checked against the rules of their formats."""

import re
import subprocess
import sys
from datetime import date

import pytest
import yaml

from releases.domain.citation import bibtex, citation_cff, datacite_json, zenodo_json
from releases.domain.details import Author
from releases.domain.licences import LICENCES, licence_on_hubs
from releases.domain.released import Released
from tests.releases.projects import JANE, make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]
# The keys of Citation File Format 1.2.0
CFF_KEYS = {
    *("abstract", "authors", "cff-version", "commit", "contact", "date-released", "doi"),
    *("identifiers", "keywords", "license", "license-url", "message", "preferred-citation"),
    *("references", "repository", "repository-artifact", "repository-code", "title", "type"),
    *("url", "version"),
}
CFF_REQUIRED = {"authors", "cff-version", "message", "title"}
PERSON_KEYS = {
    *("address", "affiliation", "alias", "city", "country", "email", "family-names", "fax"),
    *("given-names", "name-particle", "name-suffix", "orcid", "post-code", "region", "tel"),
    "website",
}
ORCID = re.compile(r"https://orcid\.org/[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]")
AUTHORS = [JANE, Author("de la Cruz", "María: José"), Author("Example #1 Consortium")]


def released(tmp_path, **details) -> Released:
    return Released(make_release(make_sample_project("qasrl", tmp_path), **details))


@pytest.fixture
def complete(tmp_path) -> Released:
    return released(
        tmp_path,
        authors=AUTHORS,
        contact="jane@lab.example",
        url="https://lab.example/data",
        funding="Example Foundation, grant 1\n\nOther Foundation",
        notes="New: “everything” & <more>",
        text_licence="CC0-1.0",
    )


def test_cff_follows_the_schema(complete):
    facts = yaml.safe_load(citation_cff(complete))
    assert facts.keys() <= CFF_KEYS
    assert facts.keys() >= CFF_REQUIRED
    assert facts["cff-version"] == "1.2.0"
    assert facts["type"] == "dataset"
    assert facts["license"] in LICENCES
    assert isinstance(facts["version"], str)
    assert date.fromisoformat(facts["date-released"])
    assert len(set(facts["keywords"])) == len(facts["keywords"]) > 0
    person, other, entity = facts["authors"]
    for each in (person, other):
        assert each.keys() <= PERSON_KEYS
        assert all(isinstance(value, str) for value in each.values())
    assert ORCID.fullmatch(person["orcid"])
    assert (other["family-names"], other["given-names"]) == ("de la Cruz", "María: José")
    assert entity == {"name": "Example #1 Consortium"}
    assert facts["contact"] == [{"name": "jane@lab.example", "email": "jane@lab.example"}]


@pytest.mark.long
def test_cff_is_valid_for_cffconvert(complete, tmp_path):
    """Its requirements contradict those of the other tests, so it has an environment of its own."""
    environment, path = tmp_path / "environment", tmp_path / "CITATION.cff"
    path.write_text(citation_cff(complete), "utf-8")
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    install = [environment / "bin/python", "-m", "pip", "install", "--quiet", "cffconvert==2.0.0"]
    done = subprocess.run(install, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        pytest.skip(f"PyPI can't be reached: {done.stderr[-300:]}")
    command = [environment / "bin/cffconvert", "--validate", "--infile", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_cff_has_only_what_was_entered(tmp_path):
    facts = yaml.safe_load(citation_cff(released(tmp_path, licence="Own-1.0")))
    assert not facts.keys() & {"license", "url", "contact"}


def test_bibtex_has_no_braces_of_the_title_and_escapes_characters(complete):
    entry = bibtex(complete)
    assert "title = {A sample}," in entry
    assert "author = {Doe, Jane and de la Cruz, María: José and Example \\#1 Consortium}," in entry
    assert entry.count("{") == entry.count("}")


def test_datacite_has_the_mandatory_properties(complete):
    metadata = datacite_json(complete)
    assert metadata["schemaVersion"] == "http://datacite.org/schema/kernel-4"
    assert metadata["titles"] == [{"title": "A {sample}"}]
    assert metadata["publisher"] == {"name": "Example Lab"}
    assert metadata["publicationYear"] == f"{complete.release.frozen_at:%Y}"
    assert metadata["types"]["resourceTypeGeneral"] == "Dataset"
    assert metadata["creators"][0] == {
        "name": "Doe, Jane",
        "nameType": "Personal",
        "givenName": "Jane",
        "familyName": "Doe",
        "affiliation": [{"name": "Example Lab"}],
        "nameIdentifiers": [
            {
                "nameIdentifier": "https://orcid.org/0000-0002-1825-0097",
                "nameIdentifierScheme": "ORCID",
                "schemeUri": "https://orcid.org",
            }
        ],
    }
    assert metadata["creators"][2] == {
        "name": "Example #1 Consortium",
        "nameType": "Organizational",
    }
    assert metadata["fundingReferences"] == [
        {"funderName": "Example Foundation, grant 1"},
        {"funderName": "Other Foundation"},
    ]


def test_zenodo_has_the_fields_of_a_deposit(complete):
    metadata = zenodo_json(complete)["metadata"]
    assert metadata["upload_type"] == "dataset"
    assert metadata["access_right"] == "open"
    assert metadata["license"] == "cc-by-4.0"
    assert "<p>New: “everything” &amp; &lt;more&gt;</p>" in metadata["description"]
    assert metadata["creators"][1] == {"name": "de la Cruz, María: José"}


def test_licences_have_names_of_hubs():
    assert licence_on_hubs("CC-BY-SA-4.0") == "cc-by-sa-4.0"
    assert licence_on_hubs("ODC-By-1.0") == "odc-by"
    assert licence_on_hubs("Own-1.0") == "other"

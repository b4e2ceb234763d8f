"""Licences of data that hubs and archives know by their SPDX identifiers."""

from collections.abc import Mapping

LICENCES: Mapping[str, str] = {
    "CC0-1.0": "Creative Commons Zero 1.0",
    "CC-BY-4.0": "Creative Commons Attribution 4.0",
    "CC-BY-SA-4.0": "Creative Commons Attribution ShareAlike 4.0",
    "CC-BY-NC-4.0": "Creative Commons Attribution NonCommercial 4.0",
    "CC-BY-NC-SA-4.0": "Creative Commons Attribution NonCommercial ShareAlike 4.0",
    "CC-BY-ND-4.0": "Creative Commons Attribution NoDerivatives 4.0",
    "CC-BY-NC-ND-4.0": "Creative Commons Attribution NonCommercial NoDerivatives 4.0",
    "CC-BY-3.0": "Creative Commons Attribution 3.0",
    "CC-BY-SA-3.0": "Creative Commons Attribution ShareAlike 3.0",
    "ODbL-1.0": "Open Database License 1.0",
    "ODC-By-1.0": "Open Data Commons Attribution 1.0",
    "PDDL-1.0": "Open Data Commons Public Domain Dedication 1.0",
    "CDLA-Permissive-2.0": "Community Data License Agreement Permissive 2.0",
    "CDLA-Sharing-1.0": "Community Data License Agreement Sharing 1.0",
    "Apache-2.0": "Apache License 2.0",
    "MIT": "MIT License",
}
LICENCE_CHOICES = tuple(LICENCES.items())
# What dataset hubs call a licence whose identifier differs from SPDX's in small letters.
_ON_HUBS = {"ODC-By-1.0": "odc-by", "PDDL-1.0": "pddl"}


def licence_name(licence: str) -> str:
    return LICENCES.get(licence, licence)


def licence_address(licence: str) -> str:
    """Return the address of the licence's text in the list of SPDX, or "" for an unknown one."""
    return f"https://spdx.org/licenses/{licence}.html" if licence in LICENCES else ""


def licence_on_hubs(licence: str) -> str:
    """Return the licence's name on dataset hubs, or "other"."""
    if licence not in LICENCES:
        return "other"
    return _ON_HUBS.get(licence, licence.lower())

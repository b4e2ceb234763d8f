"""The protocols by which generations become gold. Add a protocol here and in projects.protocols."""

from collections.abc import Mapping

from consolidation.protocols.base import CaseProtocol
from consolidation.protocols.consolidation import CONSOLIDATION
from consolidation.protocols.validation import VALIDATION
from projects.models import Project

PROTOCOLS: Mapping[str, CaseProtocol] = {
    protocol.name: protocol for protocol in (CONSOLIDATION, VALIDATION)
}
# The roles of the people who work on cases.
CASE_ROLES = [protocol.role for protocol in PROTOCOLS.values()]


def protocol_of(project: Project) -> CaseProtocol:
    return PROTOCOLS[project.protocol]


def protocol_of_role(role: str) -> CaseProtocol:
    """Return the protocol whose cases people of this role work on."""
    return next(protocol for protocol in PROTOCOLS.values() if protocol.role == role)

"""The protocols by which generations become gold. Add a protocol here and in projects.protocols."""

from collections.abc import Mapping

from consolidation.protocols.base import CaseProtocol
from consolidation.protocols.consolidation import CONSOLIDATION
from consolidation.protocols.validation import VALIDATION
from consolidation.protocols.verification import VERIFICATION
from projects.models import Project
from projects.protocols import TERMS

PROTOCOLS: Mapping[str, CaseProtocol] = {
    protocol.name: protocol for protocol in (CONSOLIDATION, VALIDATION, VERIFICATION)
}
# The roles of the people who work on cases.
CASE_ROLES = sorted({role for terms in TERMS.values() for role in terms.case_roles})


def protocol_of(project: Project) -> CaseProtocol:
    return PROTOCOLS[project.protocol]


def protocol_of_role(role: str, project: Project) -> CaseProtocol:
    """Return the protocol whose cases people of this role work on.

    Trainees may work on cases of a protocol that is not the project's.
    """
    own = protocol_of(project)
    if role in TERMS[own.name].case_roles:
        return own
    return next(protocol for protocol in PROTOCOLS.values() if protocol.role == role)

"""The terms of each protocol: who works on an item, and how many people.

`consolidation.protocols` holds what the protocols do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from projects.enums import ExclusionScope, Protocol, Role
from schemes.contract.scheme import Scheme


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolTerms:
    """The roles and numbers of people of a protocol.

    `generators` work on an item independently. Then people with `role` work on its case: one, or the
    project's number of validators if `is_voted`. `exclusion_scope` is the scope in which they must not
    have generated. `part` returns the scheme's part that the protocol needs, or None. With
    `is_revised`, disputed annotations return to their generators. `noun` is what texts call a person
    with `role`, and `done` what a finished item is. `summary` describes the protocol to requesters.
    """

    generators: int
    role: Role
    is_voted: bool
    exclusion_scope: ExclusionScope
    part: Callable[[Scheme], object | None]
    noun: str
    done: str
    summary: str
    is_revised: bool = False

    @property
    def case_roles(self) -> tuple[Role, ...]:
        """The roles of the people who work on cases."""
        return (self.role, Role.REVISER) if self.is_revised else (self.role,)


# Roit et al. 2020, section 3, and FitzGerald et al. 2018, section 2.
TERMS: Mapping[str, ProtocolTerms] = {
    Protocol.CONSOLIDATION: ProtocolTerms(
        generators=2,
        role=Role.CONSOLIDATOR,
        is_voted=False,
        exclusion_scope=ExclusionScope.ITEM,
        part=lambda scheme: scheme.merging,
        noun="consolidator",
        done="consolidated",
        summary="two people annotate an item, and a third merges their work",
    ),
    Protocol.VALIDATION: ProtocolTerms(
        generators=1,
        role=Role.VALIDATOR,
        is_voted=True,
        exclusion_scope=ExclusionScope.SENTENCE,
        part=lambda scheme: scheme.validating,
        noun="validator",
        done="validated",
        summary="one person annotates an item, and others judge each part",
    ),
    # Verifiers see the whole annotation, so they may have generated for the same sentence.
    Protocol.VERIFICATION: ProtocolTerms(
        generators=1,
        role=Role.VALIDATOR,
        is_voted=True,
        exclusion_scope=ExclusionScope.ITEM,
        part=lambda scheme: scheme.validating and scheme.validating.disputes,
        noun="verifier",
        done="verified",
        summary="as validation, but what is disputed returns to its annotator",
        is_revised=True,
    ),
}

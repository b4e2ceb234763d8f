"""The registered schemes, evaluations of files and reproductions of papers.

Add them here, and nowhere else.
"""

from collections.abc import Mapping

from schemes.contract.scheme import Scheme
from schemes.custom.scheme import CUSTOM
from schemes.frames.evaluate_files import FRAMES as FRAMES_FILES
from schemes.frames.reproduction import FRAMES as FRAMES_PAPER
from schemes.frames.scheme import SCHEME as FRAMES
from schemes.grounding.baseline import GROUND
from schemes.grounding.bias_report_files import GROUND_REPORT
from schemes.grounding.evaluate_files import GROUNDING as GROUNDING_FILES
from schemes.grounding.reproduction import GROUNDING as GROUNDING_PAPER
from schemes.grounding.scheme import SCHEME as GROUNDING
from schemes.qasrl.evaluate_files import PROPBANK
from schemes.qasrl.evaluate_files import QASRL as QASRL_FILES
from schemes.qasrl.parse_file import PARSE_QUESTIONS
from schemes.qasrl.reproduction import QASRL as QASRL_PAPER
from schemes.qasrl.scheme import SCHEME as QASRL
from schemes.qasrl.worker_report import WORKERS
from schemes.reports import Evaluation, FileProgram
from schemes.reproduction import Reproduction

SCHEMES: Mapping[str, Scheme] = {
    scheme.name: scheme for scheme in (QASRL, FRAMES, GROUNDING, CUSTOM)
}
EVALUATIONS: Mapping[str, Evaluation] = {
    evaluation.name: evaluation
    for evaluation in (QASRL_FILES, WORKERS, PROPBANK, FRAMES_FILES, GROUNDING_FILES)
}
REPRODUCTIONS: Mapping[str, Reproduction] = {
    reproduction.name: reproduction for reproduction in (QASRL_PAPER, FRAMES_PAPER, GROUNDING_PAPER)
}
# Commands of schemes that only read and write files, by name.
FILE_PROGRAMS: Mapping[str, FileProgram] = {
    program.name: program for program in (PARSE_QUESTIONS, GROUND, GROUND_REPORT)
}


class UnknownSchemeError(ValueError):
    """An unknown scheme name. The message lists the known ones."""


def get_scheme(name: str) -> Scheme:
    """Return a scheme by name. Raise UnknownSchemeError."""
    if name not in SCHEMES:
        raise UnknownSchemeError(
            f"There is no scheme {name!r}. Known schemes: {', '.join(SCHEMES)}."
        )
    return SCHEMES[name]

"""Verification: others verify or dispute each part of a record.

A verification is

    {"frame": J, "arguments": [{"head": J, "element": J, "role": J}], "missing": [argument],
     "record": {...}}

with the judgments of the record's arguments in their order, where a judgment J is
`{"verdict": "verified" or "disputed", "reason", "proposal"}`. An argument whose head is disputed has no
judgments of its element and role (null). `missing` are arguments that the verifier misses. `record`
is the record as the verifier would have it. It is computed here, and ignored in the input.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from schemes.base import ContentError, ItemContext, Json, Validating
from schemes.content_models import Strict, clean_text, validated
from schemes.frames.content import MAX_ARGUMENTS, MAX_HEAD, filler_of

# Stored with every figure. A changed rule gets a new name.
RULE = "frames.verification.v1"
MAX_REASON = 1000
PARTS = ("head", "element", "role")

_Reason = Annotated[str, Field(max_length=MAX_REASON)]
_Name = Annotated[str, Field(max_length=200)]
_Head = Annotated[list[int], Field(max_length=MAX_HEAD)]


class _Judgment(Strict):
    verdict: Literal["verified", "disputed"]
    reason: _Reason = ""
    proposal: _Name | _Head = ""


class _JudgedArgument(Strict):
    head: _Judgment
    element: _Judgment | None = None
    role: _Judgment | None = None


class _Missing(Strict):
    head: _Head
    filler: _Name = ""
    element: _Name = ""
    role: _Name = ""


class _Verification(Strict):
    frame: _Judgment
    arguments: Annotated[list[_JudgedArgument], Field(max_length=MAX_ARGUMENTS)]
    missing: Annotated[list[_Missing], Field(max_length=MAX_ARGUMENTS)] = Field(
        default_factory=list
    )
    record: Any = None


def asked(sources: Sequence[Json]) -> Json:
    """Return the record without its annotator's confidence."""
    return {**sources[0], "confidence": None}


def parse(content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
    """Parse a verifier's content. Raise ContentError."""
    verification = validated(_Verification, content)
    record = asked(sources)
    count = len(record["arguments"])
    if len(verification.arguments) != count:
        message = f"{len(verification.arguments)} are judged of {count}."
        raise ContentError("arguments", message)
    parsed: Json = {
        "frame": _judgment(verification.frame, "frame"),
        "arguments": [
            _judged_argument(argument, f"arguments[{at}]", context)
            for at, argument in enumerate(verification.arguments)
        ],
        "missing": [
            _missing(argument, f"missing[{at}]", record, context)
            for at, argument in enumerate(verification.missing)
        ],
    }
    return {**parsed, "record": _as_judged(record, parsed, context)}


def is_empty(sources: Sequence[Json]) -> bool:
    """Return True for a skipped record."""
    return bool(sources[0].get("skip"))


def disputes(sources: Sequence[Json], validations: Sequence[Json], agree: int) -> Json:
    """Return the disputes of parts that fewer than `agree` verifiers verified, or {}.

    `{"frame": [{"reason", "proposal"}], "arguments": [{"argument", "part", "reason", "proposal"}],
    "missing": [argument]}`. A record is incomplete if fewer than `agree` verifiers miss nothing.
    """
    frame, arguments, missing = [], [], []
    judgments = [validation["frame"] for validation in validations]
    if _support(judgments) < agree:
        frame = [_reason(judgment) for judgment in judgments if judgment["verdict"] == "disputed"]
    for at in range(len(sources[0]["arguments"])):
        for part in PARTS:
            judgments = _judgments_of(validations, at, part)
            if _support(judgments) < agree:
                arguments += [
                    {"argument": at, "part": part, **_reason(judgment)}
                    for judgment in judgments
                    if judgment["verdict"] == "disputed"
                ]
    if sum(not validation["missing"] for validation in validations) < agree:
        for validation in validations:
            missing += [argument for argument in validation["missing"] if argument not in missing]
    if not (frame or arguments or missing):
        return {}
    return {"frame": frame, "arguments": arguments, "missing": missing}


def gold_of(
    sources: Sequence[Json], validations: Sequence[Json], agree: int
) -> tuple[Json, list[Json]]:
    """Return what at least `agree` verifiers verified, and the provenance of its arguments.

    Without a supported frame, the record has neither a frame nor elements. An argument needs a
    supported head, and a supported element or role.
    """
    record = sources[0]
    if record.get("skip"):
        return dict(record), []
    has_frame = _support([validation["frame"] for validation in validations]) >= agree
    arguments, provenance = [], []
    for at, argument in enumerate(record["arguments"]):
        support = {part: _support(_judgments_of(validations, at, part)) for part in PARTS}
        element = argument["element"] if has_frame and support["element"] >= agree else ""
        role = argument["role"] if support["role"] >= agree else ""
        if support["head"] < agree or not (element or role):
            continue
        is_kept = (element, role) == (argument["element"], argument["role"])
        arguments.append({**argument, "element": element, "role": role})
        provenance.append(
            {"source": 0, "state": "kept" if is_kept else "edited", "valid": min(support.values())}
        )
    frame = record["frame"] if has_frame else ""
    return {**record, "frame": frame, "arguments": arguments}, provenance


def same_verdicts(first: Json, second: Json) -> tuple[int, int]:
    """Return (equal verdicts, verdicts that both gave)."""
    ours, theirs = dict(_verdicts(first)), dict(_verdicts(second))
    both = [part for part in ours if part in theirs]
    return sum(ours[part] == theirs[part] for part in both), len(both)


def verdicts(content: Json) -> tuple[int, int]:
    """Return (verified parts, judged parts)."""
    given = [verdict for _, verdict in _verdicts(content)]
    return given.count("verified"), len(given)


def verification_remark(content: Json) -> str:
    """Return the disputes of a verification as text, for example "Disputed: frame (too general)."."""
    record = content["record"]
    reasons = [("frame", content["frame"]["reason"])]
    for at, argument in enumerate(content["arguments"], start=1):
        reasons += [
            (f"{part} of argument {at}", argument[part]["reason"])
            for part in PARTS
            if argument[part] is not None
        ]
    disputed = [f"{part} ({reason})" for part, reason in reasons if reason]
    if content["missing"]:
        disputed.append(f"{len(content['missing'])} missing arguments")
    frame = record["frame"] or "no frame"
    return f"{frame}. Disputed: {'; '.join(disputed)}." if disputed else f"{frame}. All verified."


def method(validators: int, agree: int) -> str:
    """Describe verification for a data card."""
    return (
        "One trained worker annotated each record: the frame, the semantic heads of the arguments, "
        f"their frame elements and generic roles. {validators} other workers verified or disputed each "
        f"of these parts, and at least {agree} of them had to agree. Disputed records went back to "
        "their annotators. The protocol is that of SemEval-2019 Task 2."
    )


def _verdicts(content: Json) -> Iterator[tuple[tuple[Any, ...], str]]:
    yield ("frame",), content["frame"]["verdict"]
    for at, argument in enumerate(content["arguments"]):
        for part in PARTS:
            if argument[part] is not None:
                yield (at, part), argument[part]["verdict"]


def _support(judgments: Sequence[Json | None]) -> int:
    return sum(judgment is not None and judgment["verdict"] == "verified" for judgment in judgments)


def _judgments_of(validations: Sequence[Json], at: int, part: str) -> list[Json]:
    """Return the judgments of a part. A disputed head stands for the parts that depend on it."""
    judged = (validation["arguments"][at][part] for validation in validations)
    return [_NO_JUDGMENT if judgment is None else judgment for judgment in judged]


# Of an element or role whose head is disputed. It supports nothing, and is no dispute of its own.
_NO_JUDGMENT = {"verdict": "", "reason": "", "proposal": ""}


def _reason(judgment: Json) -> Json:
    return {"reason": judgment["reason"], "proposal": judgment["proposal"]}


def _judgment(judgment: _Judgment, path: str) -> Json:
    reason = clean_text(judgment.reason, f"{path}.reason")
    if judgment.verdict == "verified":
        return {"verdict": "verified", "reason": "", "proposal": ""}
    if not reason:
        raise ContentError(f"{path}.reason", "explain why you dispute this.")
    return {"verdict": "disputed", "reason": reason, "proposal": judgment.proposal}


def _judged_argument(argument: _JudgedArgument, path: str, context: ItemContext) -> Json:
    judged: Json = {"head": _judgment(argument.head, f"{path}.head")}
    proposal = judged["head"]["proposal"]
    if proposal and not _is_head(proposal, context):
        raise ContentError(
            f"{path}.head.proposal", "must be words of the sentence, in their order."
        )
    for part in ("element", "role"):
        judgment: _Judgment | None = getattr(argument, part)
        if argument.head.verdict == "disputed":
            judged[part] = None
        elif judgment is None:
            raise ContentError(f"{path}.{part}", "is not judged.")
        else:
            judged[part] = _judgment(judgment, f"{path}.{part}")
            if not isinstance(judged[part]["proposal"], str):
                raise ContentError(f"{path}.{part}.proposal", "must be a name.")
    return judged


def _missing(argument: _Missing, path: str, record: Json, context: ItemContext) -> Json:
    if not _is_head(argument.head, context):
        raise ContentError(f"{path}.head", "must be words of the sentence, in their order.")
    if any(argument.head == other["head"] for other in record["arguments"]):
        raise ContentError(f"{path}.head", "is already an argument of the record.")
    if not (argument.element or argument.role):
        raise ContentError(path, "choose a frame element or a role for this argument.")
    filler = filler_of(argument.head, context)
    labels = {"element": argument.element, "role": argument.role}
    return {"head": list(argument.head), "filler": filler, **labels}


def _is_head(positions: Any, context: ItemContext) -> bool:
    return (
        isinstance(positions, list)
        and bool(positions)
        and positions == sorted(set(positions))
        and positions[0] >= 0
        and positions[-1] < len(context.tokens)
    )


def _as_judged(record: Json, judged: Json, context: ItemContext) -> Json:
    """Return the record as the verifier would have it."""
    frame = judged["frame"]
    arguments = []
    for argument, by in zip(record["arguments"], judged["arguments"], strict=True):
        if by["head"]["verdict"] == "verified":
            labels = {
                part: argument[part] if by[part]["verdict"] == "verified" else by[part]["proposal"]
                for part in ("element", "role")
            }
            arguments.append({**argument, **labels})
        elif head := by["head"]["proposal"]:
            filler = filler_of(head, context)
            arguments.append({**argument, "head": list(head), "filler": filler})
    own_frame = record["frame"] if frame["verdict"] == "verified" else str(frame["proposal"] or "")
    return {**record, "frame": own_frame, "arguments": [*arguments, *judged["missing"]]}


VALIDATING = Validating(
    asked=asked,
    parse=parse,
    gold_of=gold_of,
    is_empty=is_empty,
    same_verdicts=same_verdicts,
    verdicts=verdicts,
    rule=RULE,
    method=method,
    disputes=disputes,
)

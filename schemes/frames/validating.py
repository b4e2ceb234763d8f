"""Verification: others verify or dispute each part of a record.

The module is the part `validating` of the scheme.

A verification is

    {"skip": null, "verb": J, "frame": J, "arguments": [{"head": J, "element": J, "role": J}],
     "missing": [argument], "record": {...}}

with the judgments of the record's arguments in their order, where a judgment J is
`{"verdict": "verified" or "disputed", "reason", "proposal"}`. The proposal is "", positions for words,
or a name that the lexicon has. An argument whose head is disputed has no judgments of its element and
role (null). `missing` are arguments that the verifier misses. Of a skipped record, only `skip` is
judged, `verb` and `frame` are null, and there are no arguments. `record` is the record as the
verifier would have it. It is computed here, and ignored in the input.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from schemes.content_models import Strict, clean_text, validated
from schemes.contract.content import Total
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.texts import Translatable
from schemes.contract.values import Json
from schemes.frames.content import MAX_ARGUMENTS, MAX_HEAD, filler_of, lemma_of
from schemes.frames.skips import SKIP_REASONS

# Stored with every figure. A changed rule gets a new name.
rule = "frames.verification.v2"
totals: Sequence[Total] = ()
MAX_REASON = 1000
# The parts of a record and of an argument that are judged
RECORD_PARTS = ("skip", "verb", "frame")
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


class Verification(Strict):
    skip: _Judgment | None = None
    verb: _Judgment | None = None
    frame: _Judgment | None = None
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
    verification = validated(Verification, content)
    record = asked(sources)
    count = len(record["arguments"])
    if len(verification.arguments) != count:
        raise ContentError(
            "arguments",
            "%(judged)s are judged of %(asked)s.",
            judged=len(verification.arguments),
            asked=count,
        )
    parsed: Json = {
        **_judged_record(verification, record, context),
        "arguments": [
            _judged_argument(argument, f"arguments[{at}]", context)
            for at, argument in enumerate(verification.arguments)
        ],
        "missing": [
            _missing(argument, f"missing[{at}]", record, context)
            for at, argument in enumerate(verification.missing)
        ],
    }
    _check_names(parsed, record, context)
    return {**parsed, "record": _as_judged(record, parsed, context)}


def is_empty(sources: Sequence[Json]) -> bool:
    """Return False: verifiers also judge whether a record is skipped for a good reason."""
    return False


def disputes(sources: Sequence[Json], validations: Sequence[Json], agree: int) -> Json:
    """Return the disputes of parts that fewer than `agree` verifiers verified, or {}.

    `{"skip": [{"reason", "proposal"}], "verb": [...], "frame": [...],
    "arguments": [{"argument", "part", "reason", "proposal"}], "missing": [argument]}`. A record is
    incomplete if fewer than `agree` verifiers miss nothing.
    """
    of_record = {
        part: _disputes_of_record(validations, part, agree) for part in _parts_of_record(sources[0])
    }
    arguments, missing = [], []
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
    if not (any(of_record.values()) or arguments or missing):
        return {}
    nothing: Json = {part: [] for part in RECORD_PARTS}
    return {**nothing, **of_record, "arguments": arguments, "missing": missing}


def gold_of(
    sources: Sequence[Json], validations: Sequence[Json], agree: int
) -> tuple[Json, list[Json]]:
    """Return what at least `agree` verifiers verified, and the provenance of its arguments.

    Without a supported skip or verb, the record has neither a frame nor arguments. Without a supported
    frame, it has neither a frame nor elements. An argument needs a supported head, and a supported
    element or role.
    """
    record = sources[0]
    support = {
        part: _support([validation[part] for validation in validations])
        for part in _parts_of_record(record)
    }
    if record.get("skip"):
        skip = record["skip"] if support["skip"] >= agree else ""
        return {**record, "skip": skip}, []
    if support["verb"] < agree:
        return {**record, "frame": "", "arguments": []}, []
    has_frame = support["frame"] >= agree
    arguments, provenance = [], []
    for at, argument in enumerate(record["arguments"]):
        of_parts = {part: _support(_judgments_of(validations, at, part)) for part in PARTS}
        element = argument["element"] if has_frame and of_parts["element"] >= agree else ""
        role = argument["role"] if of_parts["role"] >= agree else ""
        if of_parts["head"] < agree or not (element or role):
            continue
        is_kept = (element, role) == (argument["element"], argument["role"])
        arguments.append({**argument, "element": element, "role": role})
        provenance.append(
            {"source": 0, "state": "kept" if is_kept else "edited", "valid": min(of_parts.values())}
        )
    frame = record["frame"] if has_frame else ""
    return {**record, "frame": frame, "arguments": arguments}, provenance


def same_verdicts(first: Json, second: Json) -> tuple[int, int]:
    """Return (equal verdicts, verdicts that both gave)."""
    first_verdicts, second_verdicts = dict(_verdicts(first)), dict(_verdicts(second))
    both = [part for part in first_verdicts if part in second_verdicts]
    return sum(first_verdicts[part] == second_verdicts[part] for part in both), len(both)


def verdicts(content: Json) -> tuple[int, int]:
    """Return (verified parts, judged parts)."""
    given = [verdict for _, verdict in _verdicts(content)]
    return given.count("verified"), len(given)


def verification_remark(content: Json) -> str:
    """Return the disputes of a verification as text, for example "Disputed: frame (too general)."."""
    record = content["record"]
    reasons = [
        (name, content[part]["reason"])
        for part, name in (("skip", "skip"), ("verb", "words of the verb"), ("frame", "frame"))
        if content.get(part) is not None
    ]
    for at, argument in enumerate(content["arguments"], start=1):
        reasons += [
            (f"{part} of argument {at}", argument[part]["reason"])
            for part in PARTS
            if argument[part] is not None
        ]
    disputed = [f"{part} ({reason})" for part, reason in reasons if reason]
    if content["missing"]:
        disputed.append(f"{len(content['missing'])} missing arguments")
    frame = _skip_text(record) or record["frame"] or "no frame"
    return f"{frame}. Disputed: {'; '.join(disputed)}." if disputed else f"{frame}. All verified."


def method(validators: int, agree: int) -> str:
    """Describe verification for a data card."""
    return (
        "One trained worker annotated each record: the words of the verb, the frame, the semantic heads "
        f"of the arguments, their frame elements and generic roles. {validators} other workers verified "
        f"or disputed each of these parts, or that the record was skipped, and at least {agree} of them "
        "had to agree. Disputed records went back to their annotators. The protocol is that of "
        "SemEval-2019 Task 2."
    )


# Verifications that were stored before the verb and skips were judged lack these parts.
def _verdicts(content: Json) -> Iterator[tuple[tuple[Any, ...], str]]:
    for part in RECORD_PARTS:
        if content.get(part) is not None:
            yield (part,), content[part]["verdict"]
    for at, argument in enumerate(content["arguments"]):
        for part in PARTS:
            if argument[part] is not None:
                yield (at, part), argument[part]["verdict"]


def _parts_of_record(record: Json) -> tuple[str, ...]:
    """Return the parts of a record that are judged, apart from its arguments."""
    return ("skip",) if record.get("skip") else ("verb", "frame")


def _disputes_of_record(validations: Sequence[Json], part: str, agree: int) -> list[Json]:
    judgments = [validation[part] for validation in validations]
    if _support(judgments) >= agree:
        return []
    return [_reason(judgment) for judgment in judgments if judgment["verdict"] == "disputed"]


def _skip_text(record: Json) -> str:
    skip = record.get("skip", "")
    return f"Skipped: {SKIP_REASONS.get(skip, skip)}" if skip else ""


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


def _judged_record(verification: Verification, record: Json, context: ItemContext) -> Json:
    """Return the judgments of the record's own parts. Raise ContentError."""
    judged: Json = dict.fromkeys(RECORD_PARTS)
    for part in _parts_of_record(record):
        judgment: _Judgment | None = getattr(verification, part)
        if judgment is None:
            raise ContentError(part, "is not judged.")
        judged[part] = _judgment(judgment, part)
    if record["skip"] and verification.missing:
        raise ContentError("missing", "a skipped record has no arguments.")
    if record["skip"]:
        if judged["skip"]["proposal"]:
            raise ContentError("skip.proposal", "must be empty.")
        return judged
    verb, frame = judged["verb"]["proposal"], judged["frame"]["proposal"]
    if verb and not _is_verb(verb, context):
        raise ContentError("verb.proposal", "must be words of the sentence, with the verb itself.")
    if not isinstance(frame, str):
        raise ContentError("frame.proposal", "must be a name.")
    return judged


def _is_verb(positions: Any, context: ItemContext) -> bool:
    own = context.target.get("verb") or positions
    return _is_head(positions, context) and own[0] in positions


def _check_names(judged: Json, record: Json, context: ItemContext) -> None:
    """Check that proposed and missing names exist in the lexicon, if there is one."""
    lexicon = context.resources.get("lexicon")
    if lexicon is None:
        return
    own_frame = judged["frame"] and judged["frame"]["proposal"]
    frames = [lexicon["frames"].get(name) for name in (own_frame, record["frame"]) if name]
    elements = {element["name"] for frame in frames if frame for element in frame["elements"]}
    known = {
        "frame": lexicon["frames"].keys(),
        "element": elements,
        "role": {role["name"] for role in lexicon["roles"]},
    }
    proposals = [("frame", "frame.proposal", own_frame)]
    for at, argument in enumerate(judged["arguments"]):
        for part in ("element", "role"):
            if argument[part] is not None:
                path = f"arguments[{at}].{part}.proposal"
                proposals.append((part, path, argument[part]["proposal"]))
    for at, argument in enumerate(judged["missing"]):
        proposals += [
            (part, f"missing[{at}].{part}", argument[part]) for part in ("element", "role")
        ]
    for part, path, name in proposals:
        if name and name not in known[part]:
            message = {
                "frame": Translatable("%(name)s is no frame of the lexicon."),
                "element": Translatable("%(name)s is no element of the frame."),
                "role": Translatable("%(name)s is no role of the lexicon."),
            }[part]
            raise ContentError(path, message, name=repr(str(name)[:80]))


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
    if record["skip"]:
        is_verified = judged["skip"]["verdict"] == "verified"
        return {**record, "skip": record["skip"] if is_verified else ""}
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
    own_frame = record["frame"] if frame["verdict"] == "verified" else frame["proposal"]
    own = {**record, "frame": own_frame, "arguments": [*arguments, *judged["missing"]]}
    if verb := judged["verb"]["proposal"]:
        own |= {"verb": list(verb), "lemma": lemma_of(verb, context)}
    return own

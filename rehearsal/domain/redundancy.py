"""What items cost and what their gold covers, by the number of people who annotate each of them.

Simulated people annotate every item, as in `rehearsal.domain.figures`. The ways to spend money on an item
are then compared on the same annotations. Adaptive ways see the annotations only, through
`metrics.judgment_model`, and never the reference.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.domain.publishing.redundancy import AUDITED_PERCENT
from crowd.domain.money.pay_scheme import bonus_cents
from crowd.domain.provider.fees import fee_cents
from datasets.domain.quality.judged_parts import aligned_parts, paired_parts, part_keys
from metrics.calibration import Calibration, calibration
from metrics.counts import Counts, micro_sum
from metrics.judgment_model import (
    FittedJudgments,
    ItemCertainty,
    ItemJudgments,
    PartJudgments,
    expected_certainties,
    fit_judgments,
)
from metrics.redundancy import Step, next_step
from projects.domain.schemes import scheme_of
from projects.enums import Protocol, Role
from projects.models import Project
from rehearsal.domain.figures import FigureOptions, NoFiguresError, Rehearsed, sample_items
from rehearsal.domain.simulated_crowd import SimulatedCrowd, names_of
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

# The generators who annotate each item of the replay, and those of the fixed protocol
GENERATORS, FIXED = 3, 2
SHARES = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8)
# An item with a part below the first probability gets a third generator. Parts below the others are
# left out.
CERTAIN, KEPT = 0.9, (0.3, 0.5)
# Of adaptive redundancy
TARGETS = (0.8, 0.85, 0.88, 0.9, 0.92, 0.95)


@dataclass(frozen=True, slots=True)
class Way:
    """A way to spend money on items, with the mean cost in cents and what the gold then has."""

    label: str
    cents: float
    counts: Counts


@dataclass(frozen=True, slots=True)
class RedundancyFigures:
    """The compared ways, the fixed protocol first, and how true the estimates are.

    `parts` is the calibration of the parts that two generators found and a consolidator judged, and
    `coverage` that of the items' expected coverage.
    """

    ways: Sequence[Way]
    parts: Calibration
    coverage: Calibration


@dataclass(frozen=True, slots=True)
class _Replayed:
    """An item that GENERATORS people annotated.

    `found` has the positions of the people who found each part, and whether the reference has it.
    `consolidated` has the cents and the counts of a consolidation of the first k sources, by k.
    `judged` has the parts of FIXED generators with the consolidator's verdicts.
    """

    people: Sequence[str]
    cents: Sequence[int]
    found: Sequence[tuple[frozenset[int], bool]]
    expected: int
    consolidated: dict[int, tuple[int, Counts]]
    judged: ItemJudgments
    right: Sequence[bool]

    def judgments(self, generators: int) -> ItemJudgments:
        """Return what these generators found, without a judge."""
        return ItemJudgments(
            annotators=tuple(self.people[:generators]),
            parts=tuple(
                PartJudgments(frozenset(self.people[at] for at in members if at < generators))
                for members, _ in self.parts_of(generators)
            ),
        )

    def counts(self, generators: int, probabilities: Sequence[float], least: float) -> Counts:
        """Return the counts of the generators' parts with at least this probability."""
        kept = [
            is_right
            for (_, is_right), probability in zip(
                self.parts_of(generators), probabilities, strict=True
            )
            if probability >= least
        ]
        return self.counts_of(kept)

    def counts_of(self, kept: Sequence[bool]) -> Counts:
        """Return the counts of kept parts, each of which is right or not."""
        found = min(sum(kept), self.expected)
        return Counts(tp=found, fp=len(kept) - sum(kept), fn=self.expected - found)

    def united(self, generators: int) -> Counts:
        return self.counts(generators, [1.0] * len(self.parts_of(generators)), 0)

    def parts_of(self, generators: int) -> list[tuple[frozenset[int], bool]]:
        """Return the parts that the first annotators found."""
        return [part for part in self.found if min(part[0]) < generators]


def redundancy_figures(*, project: Project, options: FigureOptions) -> RedundancyFigures:
    """Compare ways to spend money on random items, with the seeds 1, 2 ... Raise NoFiguresError."""
    if project.protocol != Protocol.CONSOLIDATION:
        raise NoFiguresError(f"{project.slug} has no consolidation. Choose another project.")
    if options.workers <= GENERATORS:
        raise NoFiguresError(f"The comparison needs at least {GENERATORS + 1} workers.")
    items = sample_items(project, options.items)
    by_label: dict[str, list[Way]] = {}
    of_parts: list[tuple[float, float]] = []
    of_coverage: list[tuple[float, float]] = []
    for seed in range(1, options.seeds + 1):
        replayed = [_replay(project, item, options, seed) for item in items]
        for way in _ways(replayed):
            by_label.setdefault(way.label, []).append(way)
        parts, coverage = _estimates(replayed)
        of_parts += parts
        of_coverage += coverage
    ways = [
        Way(
            label=label,
            cents=sum(way.cents for way in ways) / len(ways),
            counts=micro_sum(way.counts for way in ways),
        )
        for label, ways in by_label.items()
    ]
    return RedundancyFigures(ways, calibration(of_parts), calibration(of_coverage))


def _replay(project: Project, item: Rehearsed, options: FigureOptions, seed: int) -> _Replayed:
    scheme, simulated, reference = scheme_of(project), item.simulated, item.reference
    crowd = SimulatedCrowd(simulation=scheme.get_simulation(), skill=options.skill, seed=seed)
    rng = random.Random(f"{seed}:{simulated.key}")  # noqa: S311
    *people, consolidator = rng.sample(names_of(options.workers), GENERATORS + 1)
    context, merging = simulated.context, scheme.get_merging()
    sources = [
        scheme.content.parse_generation(crowd.generation(reference, simulated, name), context)
        for name in people
    ]
    consolidated, golds = {}, {}
    for number in range(1, GENERATORS + 1):
        merged = merging.parse(
            crowd.consolidation(sources[:number], simulated, consolidator),
            context,
            sources[:number],
        )
        golds[number] = merging.gold_of(merged, sources[:number])[0]
        matched = len(paired_parts(scheme, reference, golds[number], context))
        extra = len(part_keys(scheme, golds[number], context, beside=reference)) - matched
        missed = len(part_keys(scheme, reference, context)) - matched
        cents = _cents(project, scheme, Role.CONSOLIDATOR, merged)
        consolidated[number] = cents, Counts(tp=matched, fp=extra, fn=missed)
    in_reference = [set(paired_parts(scheme, reference, s, context).values()) for s in sources]
    judged, right = _judged(scheme, item, golds[FIXED], sources[:FIXED], (*people, consolidator))
    return _Replayed(
        people=people,
        cents=[_cents(project, scheme, Role.GENERATOR, source) for source in sources],
        found=[
            (frozenset(part.members), part.key in in_reference[part.home])
            for part in aligned_parts(scheme, sources, context)
        ],
        expected=len(part_keys(scheme, reference, context)),
        consolidated=consolidated,
        judged=judged,
        right=right,
    )


def _judged(
    scheme: Scheme, item: Rehearsed, gold: Json, sources: Sequence[Json], people: Sequence[str]
) -> tuple[ItemJudgments, list[bool]]:
    """Return the judgments of the fixed protocol, and whether each part is in the reference."""
    *generators, consolidator = people
    generators = generators[:FIXED]
    contents, context = [gold, *sources], item.simulated.context
    known = [
        set(paired_parts(scheme, item.reference, content, context).values()) for content in contents
    ]
    parts = aligned_parts(scheme, contents, context)
    judgments = tuple(
        PartJudgments(
            found_by=frozenset(
                name for at, name in enumerate(generators, start=1) if at in part.members
            ),
            kept=((consolidator, 0 in part.members),),
            in_gold=0 in part.members,
        )
        for part in parts
    )
    right = [part.key in known[part.home] for part in parts]
    return ItemJudgments(tuple(generators), judgments), right


def _cents(project: Project, scheme: Scheme, role: Role, content: Json) -> int:
    """Return what a person's work on an item costs, with fees."""
    terms = project.pay_scheme[role]
    reward: int = terms["reward_cents"]
    bonus = bonus_cents(terms, scheme.content.count_units(content, role))
    most = project.redundancy(role)
    fees = fee_cents(reward, provider=project.provider, max_assignments=most)
    return reward + fees + bonus + fee_cents(bonus, provider=project.provider)


def _ways(items: Sequence[_Replayed]) -> list[Way]:
    """Return the compared ways on the same annotations, the fixed protocol first."""
    fixed = [_consolidated(items, number) for number in (FIXED, 1, GENERATORS)]
    united = [
        Way(
            label=f"{number} annotator{'s' if number > 1 else ''}, all parts",
            cents=sum(sum(item.cents[:number]) for item in items) / len(items),
            counts=micro_sum(item.united(number) for item in items),
        )
        for number in range(1, GENERATORS + 1)
    ]
    return [
        *fixed,
        *united,
        *_uncertain_consolidated(items),
        *_third_annotator(items),
        *_adaptive(items),
    ]


def _consolidated(items: Sequence[_Replayed], number: int) -> Way:
    cents = [sum(item.cents[:number]) + item.consolidated[number][0] for item in items]
    return Way(
        label=f"{number} annotator{'s' if number > 1 else ''} and a consolidator",
        cents=sum(cents) / len(items),
        counts=micro_sum(item.consolidated[number][1] for item in items),
    )


def _uncertain_consolidated(items: Sequence[_Replayed]) -> list[Way]:
    """Consolidate the least certain items, and accept all parts of the others."""
    doubts = [
        sum(min(probability, 1 - probability) for probability in item.probabilities)
        for item in _fit([item.judgments(FIXED) for item in items]).items
    ]
    by_doubt = sorted(range(len(items)), key=lambda at: -doubts[at])
    by_chance = list(range(len(items)))
    random.Random(1).shuffle(by_chance)  # noqa: S311
    ways = []
    for name, order in (("the least certain", by_doubt), ("random", by_chance)):
        for share in SHARES:
            chosen = set(order[: round(share * len(items))])
            cents, counts = 0, []
            for at, item in enumerate(items):
                cents += sum(item.cents[:FIXED])
                if at in chosen:
                    more, merged = item.consolidated[FIXED]
                    cents += more
                    counts.append(merged)
                else:
                    counts.append(item.united(FIXED))
            label = f"2 annotators, {share:.0%} of items consolidated, {name}"
            ways.append(Way(label, cents / len(items), micro_sum(counts)))
    return ways


def _third_annotator(items: Sequence[_Replayed]) -> list[Way]:
    """Ask a third annotator where a part is uncertain, and keep parts by their probability."""
    first = _fit([item.judgments(FIXED) for item in items])
    numbers = [
        FIXED if min(of_item.probabilities, default=1.0) >= CERTAIN else GENERATORS
        for of_item in first.items
    ]
    pairs = list(zip(items, numbers, strict=True))
    second = _fit([item.judgments(number) for item, number in pairs])
    cents = sum(sum(item.cents[:number]) for item, number in pairs) / len(items)
    return [
        Way(
            label=f"2 annotators, a third if uncertain, parts from {least:.0%} on",
            cents=cents,
            counts=micro_sum(
                item.counts(number, of_item.probabilities, least)
                for (item, number), of_item in zip(pairs, second.items, strict=True)
            ),
        )
        for least in KEPT
    ]


def _adaptive(items: Sequence[_Replayed]) -> list[Way]:
    """Replay adaptive redundancy, which learns from a random share of the items."""
    rng = random.Random(1)  # noqa: S311
    audited = set(rng.sample(range(len(items)), -(-len(items) * AUDITED_PERCENT // 100)))
    skills = _fit([items[at].judged for at in sorted(audited)]).skills(annotators=FIXED)
    others = [item for at, item in enumerate(items) if at not in audited]
    certainties = [
        expected_certainties([item.judgments(number) for item in others], skills)
        for number in range(1, FIXED + 1)
    ]
    fixed = [(sum(items[at].cents[:FIXED]), *items[at].consolidated[FIXED]) for at in audited]
    ways = []
    for target in TARGETS:
        cents = sum(annotators + consolidator for annotators, consolidator, _ in fixed)
        counts = [of_item for *_, of_item in fixed]
        for item, of_item in zip(others, zip(*certainties, strict=True), strict=True):
            more, found = _adaptive_item(item, of_item, target)
            cents += more
            counts.append(found)
        label = f"1 to {FIXED} annotators, accepted from {target:.0%} on, else consolidated"
        ways.append(Way(label, cents / len(items), micro_sum(counts)))
    return ways


def _adaptive_item(
    item: _Replayed, certainties: Sequence[ItemCertainty], target: float
) -> tuple[int, Counts]:
    """Return the cents and counts of an item. `certainties` are those after 1, 2 ... annotators."""
    for number, certainty in enumerate(certainties, start=1):
        parts = item.parts_of(number)
        choice = next_step(
            certainty,
            [members for members, _ in parts],
            annotators=number,
            most=FIXED,
            target=target,
        )
        cents = sum(item.cents[:number])
        if choice.step is Step.ACCEPT:
            return cents, item.counts_of([right for of, right in parts if choice.accepted in of])
        if choice.step is Step.CONSOLIDATE:
            more, counts = item.consolidated[number]
            return cents + more, counts
    raise AssertionError("The last step asks nobody.")


def _estimates(
    items: Sequence[_Replayed],
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return the estimates under the fixed protocol with what is true, of parts and of coverage."""
    fitted = _fit([item.judged for item in items]).items
    parts = [
        (probability, float(is_right))
        for item, of_item in zip(items, fitted, strict=True)
        for probability, is_right in zip(of_item.probabilities, item.right, strict=True)
    ]
    coverage = [
        (of_item.coverage, item.consolidated[FIXED][1].tp / item.expected)
        for item, of_item in zip(items, fitted, strict=True)
        if of_item.coverage is not None and item.expected
    ]
    return parts, coverage


def _fit(judgments: Sequence[ItemJudgments]) -> FittedJudgments:
    fitted = fit_judgments(judgments)
    if fitted is None:
        raise NoFiguresError("The simulated workers found nothing.")
    return fitted


def redundancy_table(figures: RedundancyFigures) -> str:
    """Return the figures as a table in Markdown, and how true the estimates are."""
    base = figures.ways[0].cents
    lines = [
        "| Way | Cents per item | Difference | Coverage | Precision | F1 |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for way in figures.ways:
        shares = " | ".join(
            "–" if share is None else f"{100 * share:.1f}"
            for share in (way.counts.recall, way.counts.precision, way.counts.f1)
        )
        lines.append(
            f"| {way.label} | {way.cents:.1f} | {100 * (way.cents / base - 1):+.0f} % | {shares} |"
        )
    return "\n".join(
        [
            *lines,
            "",
            _estimate_text("Parts", figures.parts),
            _estimate_text("Coverage", figures.coverage),
        ]
    )


def _estimate_text(name: str, found: Calibration) -> str:
    if not found.count:
        return f"{name}: no estimates."
    expected, actual = (
        100
        * sum(row.count * value for row, value in zip(found.bins, values, strict=True))
        / found.count
        for values in ([row.predicted for row in found.bins], [row.actual for row in found.bins])
    )
    return (
        f"{name}: expected {expected:.1f} %, actual {actual:.1f} %, Brier score {found.brier:.3f}, "
        f"expected calibration error {100 * (found.expected_error or 0):.1f} %, n = {found.count:,}."
    )


def redundancy_json(figures: RedundancyFigures) -> dict[str, Any]:
    """Return the figures as JSON."""
    return {
        "ways": [
            {
                "way": way.label,
                "cents_per_item": way.cents,
                "coverage": way.counts.recall,
                "precision": way.counts.precision,
                "f1": way.counts.f1,
            }
            for way in figures.ways
        ],
        "brier": {"parts": figures.parts.brier, "coverage": figures.coverage.brier},
    }

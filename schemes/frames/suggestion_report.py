"""How often suggestions of frames and roles are right, leaving out the record that they are for."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from schemes.contract.items import ItemContext
from schemes.contract.statistics import AnnotatedItem, StatisticsTable
from schemes.contract.values import Json
from schemes.frames.frame_ranking import UnitIndex, lemma_at, nouns_of_light_verb, rank_frames
from schemes.frames.lexicon.proposals import without_accepted
from schemes.frames.lexicon.value import EMPTY
from schemes.frames.precedents import filler_words
from schemes.frames.role_rules import likely_roles, role_hints

# The number of frames in view on a compact page
IN_VIEW = 5


class _Precedents:
    """The counts of all records, from which one record can be left out."""

    def __init__(self, items: Iterable[AnnotatedItem]) -> None:
        self.frames: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        self.words: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        self.roles: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for item in items:
            target, record = item.context.target["lemma"], item.content
            self.frames[target][record["frame"], record["lemma"]] += 1
            self.words[target, record["frame"], record["lemma"]].update(filler_words(record))
            for argument in record["arguments"]:
                self.roles[record["frame"], argument["element"]][argument["role"]] += 1

    def chosen_frames(self, item: AnnotatedItem) -> list[Json]:
        """Return how others annotated the verb, as pages look it up."""
        target, record = item.context.target["lemma"], item.content
        own = (record["frame"], record["lemma"])
        rows = []
        for lemma in dict.fromkeys((target, target.split("_")[0])):
            for (frame, of_record), count in self.frames[lemma].items():
                is_own = lemma == target and (frame, of_record) == own
                words = self.words[lemma, frame, of_record]
                if is_own:
                    words = words - Counter(filler_words(record))
                if count > is_own:
                    rows.append(
                        {
                            "frame": frame,
                            "lemma": of_record,
                            "count": count - is_own,
                            "words": [*words],
                        }
                    )
        return rows

    def chosen_roles(self, record: Json, argument: Json) -> list[str]:
        """Return the roles that others gave to the element, the most frequent first."""
        counts = self.roles[record["frame"], argument["element"]]
        others = counts - Counter([argument["role"]])
        return sorted(others, key=lambda role: (-others[role], role))


def suggestion_tables(items: Sequence[AnnotatedItem]) -> list[StatisticsTable]:
    """Return how often the first suggestions are right for these records, with and without others."""
    records = [item for item in items if item.content["frame"] and "lemma" in item.context.target]
    if not records:
        return []
    precedents = _Precedents(records)
    return [_frames_table(records, precedents), _roles_table(records, precedents)]


def _frames_table(records: Sequence[AnnotatedItem], precedents: _Precedents) -> StatisticsTable:
    lexicon = records[0].context.resources.get("lexicon") or EMPTY
    # Units that were accepted from annotations may come from the records that are measured.
    units = UnitIndex.of(without_accepted(lexicon))
    by_verb: defaultdict[str, set[str]] = defaultdict(set)
    for item in records:
        by_verb[item.content["lemma"]].add(item.content["frame"])
    rows: list[list[str | int | float | None]] = []
    for title, is_alone in (("Lexicon alone", True), ("With other records", False)):
        places = [
            (_place(item, units, [] if is_alone else precedents.chosen_frames(item)), item)
            for item in records
        ]
        for verbs, least in (("all verbs", 1), ("verbs with several frames", 2)):
            of_verbs = [
                place for place, item in places if len(by_verb[item.content["lemma"]]) >= least
            ]
            rows.append(
                [
                    f"{title}: {verbs}",
                    len(of_verbs),
                    _percent(sum(place == 1 for place in of_verbs), len(of_verbs)),
                    _percent(sum(0 < place <= IN_VIEW for place in of_verbs), len(of_verbs)),
                    _percent(sum(place == 0 for place in of_verbs), len(of_verbs)),
                ]
            )
    columns = ("Suggestions", "Records", "First right %", "In the first 5 %", "None %")
    return StatisticsTable("Suggested frames, each record left out", columns, rows)


def _place(item: AnnotatedItem, units: UnitIndex, precedents: Sequence[Json]) -> int:
    """Return the place of the record's frame among the suggestions from 1, or 0 if it is not there."""
    context, record = item.context, item.content
    lemmas = {lemma_at(at, context) for at in range(len(context.tokens))}
    ranked = rank_frames(
        record["lemma"].replace("_", " "),
        units=units,
        precedents=precedents,
        words=lemmas | {token.lower() for token in context.tokens},
        nouns=nouns_of_light_verb(context),
    )
    return ranked.index(record["frame"]) + 1 if record["frame"] in ranked else 0


def _roles_table(records: Sequence[AnnotatedItem], precedents: _Precedents) -> StatisticsTable:
    rows: list[list[str | int | float | None]] = []
    for title, has_verbs, has_records in (
        ("Element and dependency", False, False),
        ("With VerbNet's classes", True, False),
        ("With other records", True, True),
    ):
        outcomes: Counter[str] = Counter()
        for item in records:
            context = item.context if has_verbs else _without_verbs(item.context)
            outcomes.update(
                _role_outcomes(item.content, context, precedents if has_records else None)
            )
        count = outcomes.total()
        shares = [_percent(outcomes[outcome], count) for outcome in ("right", "wrong", "none")]
        rows.append([title, count, *shares])
    columns = ("Suggestions", "Arguments", "Right %", "Wrong %", "None %")
    return StatisticsTable("Suggested roles, each record left out", columns, rows)


def _role_outcomes(
    record: Json, context: ItemContext, precedents: _Precedents | None
) -> Iterable[str]:
    """Yield "right", "wrong" or "none" for each argument with an element and a role, in their order."""
    hints = role_hints(context)
    held: list[str] = []
    for argument in record["arguments"]:
        if argument["element"] and argument["role"]:
            hint = next((hints[str(at)] for at in argument["head"] if str(at) in hints), "")
            chosen = precedents.chosen_roles(record, argument) if precedents else []
            likely = likely_roles(argument["element"], hint, context, chosen=chosen, held=held)
            if likely:
                yield "right" if likely[0] == argument["role"] else "wrong"
            else:
                yield "none"
        held.append(argument["role"])


def _without_verbs(context: ItemContext) -> ItemContext:
    lexicon = context.resources.get("lexicon") or EMPTY
    return replace(context, resources={**context.resources, "lexicon": {**lexicon, "verbs": {}}})


def _percent(count: int, of: int) -> float | None:
    return round(100 * count / of, 1) if of else None

"""What several versions of a definition rename together."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from schemes.custom.checks import label_list
from schemes.custom.definition import Definition, Renamed
from schemes.custom.problems import Problem


def renames_of(versions: Sequence[Definition]) -> Renamed:
    """Return the names of the last version by those of the first one."""
    total = Renamed(fields={}, labels={})
    for before, after in pairwise(versions):
        total = _followed_by(total, _step(before, after))
    return total


def exchanged_texts(before: Definition, after: Definition) -> list[Problem]:
    """Return the labels of a version that have the text of another one in the version before.

    Answers have keys, so that earlier ones would be shown with the other text.
    """
    step = _step(before, after)
    old_keys = {new: old for old, new in step.fields.items()}
    old_fields = {field.key: field for field in before.fields}
    problems = []
    for at, field in enumerate(after.fields):
        old = old_fields.get(old_keys.get(field.key, field.key))
        if old is None:
            continue
        names = step.labels.get(field.key, {})
        renamed = {*names, *names.values()}
        new_texts = {label.key: label.label for label in label_list(field)}
        texts = {
            label.key: label.label
            for label in label_list(old)
            if label.key in new_texts and label.key not in renamed
        }
        owners = {text: key for key, text in texts.items() if new_texts[key] != text}
        for key in owners.values():
            owner = owners.get(new_texts[key])
            if owner is not None:
                message = (
                    f"{key!r} gets the text {new_texts[key]!r} of {owner!r}, so that earlier answers "
                    "would be shown as the other one. Exchange the keys with renamed instead."
                )
                problems.append(Problem(("fields", at), message))
    return problems


def _step(before: Definition, after: Definition) -> Renamed:
    """Return what a version renames of the version before.

    Entries that both versions have, or whose old name the version before lacks, are left from an
    earlier change.
    """
    fields = {field.key: field for field in before.fields}
    keys = {
        old: new
        for old, new in after.renamed.fields.items()
        if old in fields and before.renamed.fields.get(old) != new
    }
    old_keys = {new: old for old, new in keys.items()}
    labels = {}
    for key, names in after.renamed.labels.items():
        old_key = old_keys.get(key, key)
        if old_key not in fields:
            continue
        known = {label.key for label in label_list(fields[old_key])}
        done = before.renamed.labels.get(old_key, {})
        labels[key] = {
            old: new for old, new in names.items() if old in known and done.get(old) != new
        }
    return Renamed(fields=keys, labels=labels)


def _followed_by(first: Renamed, second: Renamed) -> Renamed:
    keys = {second.fields.get(key, key): names for key, names in first.labels.items()}
    labels = {
        key: _chained(keys.get(key, {}), second.labels.get(key, {}))
        for key in {**keys, **second.labels}
    }
    return Renamed(fields=_chained(first.fields, second.fields), labels=labels)


def _chained(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    chained = {old: second.get(new, new) for old, new in first.items()}
    # A name that the first step produced, or gave up, is no name of the oldest version.
    later = {
        old: new for old, new in second.items() if old not in first.values() and old not in first
    }
    return {**chained, **later}

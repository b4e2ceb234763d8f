"""The form for evaluating systems."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from annotation.forms import FilesField
from consolidation.enums import GoldSource
from schemes.contract.scoring import SystemScoring
from schemes.contract.values import Noun
from web.fields import ANY, sentence_case, set_choices

ITEMS = Noun("item", "items")


class EvaluationForm(forms.Form):
    """The reference and the files of the systems.

    `items` counts the items with gold by source, and `partitions` are those of the corpus.
    """

    source = forms.ChoiceField(required=False, label="Reference")
    partition = forms.ChoiceField(
        required=False, help_text="Of the project's gold. An uploaded file is used as a whole."
    )
    reference = FilesField(required=False, label="Uploaded reference")
    systems = FilesField(label="Systems", help_text="One file per system, named after it.")
    variant = forms.ChoiceField(required=False, label="Task")
    sentences = FilesField(required=False, label="Sentences")
    skip_bad_rows = forms.BooleanField(
        required=False, label="Skip bad rows with their items, instead of refusing the file"
    )

    def __init__(
        self,
        *args: Any,
        scoring: SystemScoring,
        items: Mapping[str, int],
        partitions: Sequence[str],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        sources = [
            (value, f"{label} gold of this project ({ITEMS.count(items[value])})")
            for value, label in sentence_case(GoldSource.choices)
            if value in items
        ]
        set_choices(
            self,
            source=[*sources, ("", "An uploaded file")],
            partition=sentence_case([ANY, *((name, name) for name in partitions)]),
            variant=scoring.variants.items(),
        )
        # The option of an uploaded file is the last, and it would be chosen because its value is empty.
        self.fields["source"].initial = next(iter(sources), ("",))[0]
        self.fields["sentences"].help_text = scoring.sentences_help
        unused = {
            "variant": not scoring.variants,
            "sentences": not scoring.sentences_help,
            "partition": not partitions,
        }
        for name in (name for name, is_unused in unused.items() if is_unused):
            del self.fields[name]

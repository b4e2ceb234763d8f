"""Forms of the corpus, publication, pay and submission pages."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator

from annotation.domain.corpus.source_files import ReadOptions
from annotation.domain.corpus.text_encodings import ENCODINGS
from annotation.domain.publishing.arms import ArmPlan, ArmsError
from annotation.domain.publishing.batch_actions import MAX_REPUBLICATIONS
from annotation.domain.publishing.choose_workers import Who
from annotation.domain.publishing.publish import AUTO_APPROVAL_SECONDS, REPUBLISH_LIMIT
from annotation.enums import Partition
from crowd.domain.money.pay_scheme import TERM_FIELDS
from crowd.domain.provider.providers import capabilities_of
from projects.enums import writes_units
from schemes.contract.corpus import Corpus
from schemes.contract.values import Noun
from schemes.import_settings import Setting
from schemes.layouts import Layout
from web.fields import CountField, DollarsField, sentence_case, set_choices

# The arms that the page of a batch offers. Commands and the API accept more.
ARM_ROWS = 4


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """A field for several files. Its value is a list."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> Any:
        files = [file for file in data or [] if file]
        if not files:
            super().clean(None, initial)
        return [super(FilesField, self).clean(file, initial) for file in files]


class CorpusForm(forms.Form):
    corpus = forms.FileField(label="Sentences")
    fmt = forms.ChoiceField(label="Format", required=False)
    items = FilesField(
        required=False,
        label="Items",
        help_text="Files that list the items. Leave empty to detect items automatically.",
    )
    search = forms.ChoiceField(
        required=False,
        label="Items to detect",
        help_text="What to detect if you don't provide item files.",
    )
    images = forms.FileField(
        label="Images",
        widget=forms.ClearableFileInput(attrs={"accept": ".zip"}),
        help_text="A ZIP archive with the JPEG, PNG or WebP images that the sentences describe.",
    )
    domain = forms.CharField(
        required=False,
        max_length=60,
        help_text="For example, wikinews. Exports contain one file per domain.",
    )
    partition = forms.ChoiceField(
        required=False, choices=[("", "Assign later"), *sentence_case(Partition.choices)]
    )
    strict = forms.BooleanField(
        required=False, label="Reject all files if any row has an error", initial=False
    )

    def __init__(self, *args: Any, corpus: Corpus, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", "Detect from the content"), *((fmt, fmt) for fmt in corpus.formats)]
        if not corpus.needs_images:
            del self.fields["images"]
        labels = {name: search.label for name, search in corpus.searches.items()}
        # The default search leaves sentences alone that have items already.
        names = ["", *list(labels)[1:]]
        set_choices(
            self, fmt=choices, search=sentence_case(zip(names, labels.values(), strict=False))
        )
        if not labels:
            del self.fields["search"]


class ReadingForm(forms.Form):
    """How to read an upload: the encoding of text, the sheet of a workbook, the columns of a table.

    `formats` are those to choose from if the format is unknown. `offered` settings accept what the
    import would refuse. It has their descriptions.
    """

    encoding = forms.ChoiceField(
        label="Text encoding",
        choices=list(ENCODINGS.items()),
        help_text="Choose another if letters look wrong below.",
    )
    fmt = forms.ChoiceField(required=False, label="Format")
    sheet = forms.ChoiceField(required=False, label="Sheet")

    def __init__(
        self,
        data: Any = None,
        *,
        formats: Collection[str],
        reading: ReadOptions,
        encoding: str,
        table: Mapping[str, Any] | None,
        layout: Layout | None,
        offered: Mapping[Setting, str],
        chosen: Collection[Setting],
    ) -> None:
        initial = {"encoding": encoding, "sheet": (table or {}).get("sheet", "")}
        super().__init__(data, initial=initial)
        self._reading = reading
        self._encoding = encoding
        self._columns: list[str] = []
        set_choices(self, encoding=_with(encoding, ENCODINGS))
        if formats:
            detected = ("", "Detect from the content")
            set_choices(self, fmt=[detected, *((name, name) for name in formats)])
        else:
            del self.fields["fmt"]
        sheets = table["sheets"] if table else []
        if len(sheets) > 1:
            set_choices(self, sheet=[(name, name) for name in sheets])
        else:
            del self.fields["sheet"]
        if sheets:  # a workbook states its encoding
            del self.fields["encoding"]
        if table and layout:
            self._add_columns(table, layout)
        self._settings = list(offered)
        for setting, text in offered.items():
            self.fields[setting.parameter] = forms.BooleanField(
                required=False,
                label=setting.value,
                help_text=text,
                initial=setting in chosen,
                # They stand beside what they change, outside the element of the form.
                widget=forms.CheckboxInput(attrs={"form": "reading"}),
            )

    def _add_columns(self, table: Mapping[str, Any], layout: Layout) -> None:
        names = [name for name in dict.fromkeys(table["names"]) if name]
        for column in layout.columns:
            if not column.description:
                continue
            guessed = column.name if column.name in names else ""
            self._columns.append(column.name)
            self.fields[f"column-{column.name}"] = forms.ChoiceField(
                required=False,
                label=column.name,
                help_text=column.description,
                choices=[("", "None"), *((name, name) for name in names)],
                initial=self._reading.columns.get(column.name, guessed),
            )

    @property
    def column_fields(self) -> list[forms.BoundField]:
        return [self[f"column-{name}"] for name in self._columns]

    @property
    def setting_fields(self) -> list[forms.BoundField]:
        return [self[setting.parameter] for setting in self._settings]

    def chosen_format(self) -> str:
        """Return the chosen format, or "" to recognise it."""
        return str(self.cleaned_data.get("fmt", ""))

    def settings(self) -> list[Setting]:
        """Return the chosen settings."""
        return [setting for setting in self._settings if self.cleaned_data[setting.parameter]]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        chosen = list(filter(None, (data.get(f"column-{name}") for name in self._columns)))
        if len(set(chosen)) < len(chosen):
            raise forms.ValidationError("Choose a different column for each.")
        return data

    def reading(self) -> ReadOptions:
        """Return the choices. Columns of another sheet or encoding are forgotten."""
        data = self.cleaned_data
        encoding = data.get("encoding") or self._reading.encoding
        sheet = data.get("sheet") or self._reading.sheet
        chosen = self._reading.encoding if encoding == self._encoding else encoding
        if "sheet" in self.changed_data:
            return ReadOptions(encoding=chosen, sheet=sheet)
        others = {
            name: chosen
            for name, chosen in self._reading.columns.items()
            if name not in self._columns
        }
        columns = {name: data[f"column-{name}"] for name in self._columns if data[f"column-{name}"]}
        renamed = {name: chosen for name, chosen in columns.items() if name != chosen}
        return ReadOptions(encoding=chosen, columns={**others, **renamed}, sheet=sheet)


def _with(encoding: str, known: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the choices of encodings, with the present one."""
    return list({**known, encoding: known.get(encoding, encoding)}.items())


MAX_DOLLARS = 1000


class PayForm(forms.Form):
    """The terms of a role, in the scheme's units. Amounts are shown in dollars and stored in cents."""

    def __init__(self, data: Any, *, role: str, unit: Noun, initial: Mapping[str, Any]) -> None:
        super().__init__(data, prefix=role, initial=dict(initial))
        self.role = role
        for term in TERM_FIELDS:
            label = term.label if writes_units(role) else term.judges_label or term.label
            text = label_in_units(label, unit)
            if term.is_amount:
                amount = DollarsField(label=f"{text}, in dollars", max_value=MAX_DOLLARS)
                amount.required = True
                self.fields[term.key] = amount
            else:
                self.fields[term.key] = CountField(min_value=0, max_value=100_000, label=text)

    @property
    def amounts(self) -> list[forms.BoundField]:
        """The fields that most projects set."""
        return [self[term.key] for term in TERM_FIELDS if not term.is_limit]

    @property
    def limits(self) -> list[forms.BoundField]:
        return [self[term.key] for term in TERM_FIELDS if term.is_limit]

    @property
    def has_wrong_limits(self) -> bool:
        return any(field.errors for field in self.limits)


def label_in_units(label: str, unit: Noun) -> str:
    """Return the label of a pay term, whose first word may be the unit."""
    units = unit.plural.capitalize() if label.startswith("{units}") else unit.plural
    return label.format(unit=unit.singular, units=units)


class RepublishLimitField(CountField):
    """The number of times that an item may be republished automatically."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            min_value=0,
            max_value=MAX_REPUBLICATIONS,
            label="Maximum automatic republications per item",
            help_text="For annotations that are missing after an expiry or rejection. 0 for none.",
            **kwargs,
        )


class PublishForm(forms.Form):
    """The number of HITs to publish, and the workers who may take them.

    `unpublished` is the number of items shown to the user. If it has changed, the user confirms
    again.
    """

    count = CountField(min_value=1, label="Number of HITs")
    pool = forms.ChoiceField(
        label="Who can accept them",
        widget=forms.RadioSelect,
    )
    auto_approval_hours = CountField(
        label="Hours until pending submissions are approved automatically",
        help_text="You can't change this after publishing.",
        required=False,
        min_value=1,
        max_value=720,
        initial=72,
    )
    republish_limit = RepublishLimitField(required=False, initial=3)
    assists_test_items = forms.BooleanField(
        required=False,
        label="Assign test items to arms too",
        help_text="Test data should be annotated without models and suggestions learned from data. "
        "The data card will say that it was not.",
    )
    unpublished = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        unpublished: int,
        has_pool: bool,
        provider: str,
        arms: Sequence[tuple[str, str]] = (),
        groups: Sequence[int] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._add_arms(arms)
        capabilities = capabilities_of(provider)
        self.max_hours = 24 * capabilities.max_approval_days
        if capabilities.has_sessions:
            self.fields["count"].label = "Number of items"
            self.fields["pool"].label = "Who can take part"
        count = self.fields["count"]
        assert isinstance(count, forms.IntegerField)
        count.max_value = unpublished
        count.validators.append(
            MaxValueValidator(unpublished, f"You can publish at most {unpublished:,} items.")
        )
        count.widget.attrs["max"] = unpublished
        count.initial = min(unpublished, 100)
        if has_pool:
            pool = self.fields["pool"]
            assert isinstance(pool, forms.ChoiceField)
            pool.initial = Who.POOL
            anyone = "Anyone" if capabilities.has_sessions else "Any worker on the marketplace"
            pool.choices = [
                (Who.POOL, "Only the trained pool"),
                (Who.ANYONE, anyone),
                *((f"group-{number}", f"Group {number} of the trained pool") for number in groups),
            ]
        else:
            del self.fields["pool"]

    def _add_arms(self, arms: Sequence[tuple[str, str]]) -> None:
        """Add the fields of ARM_ROWS arms if there are several to choose from."""
        self.arm_rows: list[tuple[str, str]] = []
        if len(arms) < 2:
            del self.fields["assists_test_items"]
            return
        for number in range(1, ARM_ROWS + 1):
            help_field, percent = f"arm_{number}", f"percent_{number}"
            self.fields[help_field] = forms.ChoiceField(
                required=False, label=f"Arm {number}", choices=[("", "None"), *sentence_case(arms)]
            )
            self.fields[percent] = CountField(
                required=False,
                min_value=1,
                max_value=100,
                label=f"Percent {number}",
            )
            self.arm_rows.append((help_field, percent))

    @property
    def arm_fields(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        return [(self[help_field], self[percent]) for help_field, percent in self.arm_rows]

    @property
    def has_arm_errors(self) -> bool:
        names = {name for row in self.arm_rows for name in row}
        return bool(names & self.errors.keys())

    def arms(self) -> list[ArmPlan]:
        """Return the chosen arms. Raise ArmsError for a choice without a share."""
        plans = []
        for help_field, percent in self.arm_rows:
            code, share = self.cleaned_data.get(help_field), self.cleaned_data.get(percent)
            if bool(code) != bool(share):
                raise ArmsError("Choose what an arm does and its share, or leave both empty.")
            if code and share:
                plans.append(ArmPlan.of_code(code, share))
        return plans

    def clean_auto_approval_hours(self) -> int:
        hours = self.cleaned_data["auto_approval_hours"]
        if hours is not None and hours > self.max_hours:
            raise forms.ValidationError(f"Enter at most {self.max_hours} hours.")
        return AUTO_APPROVAL_SECONDS // 3600 if hours is None else int(hours)

    def clean_republish_limit(self) -> int:
        limit = self.cleaned_data["republish_limit"]
        return REPUBLISH_LIMIT if limit is None else int(limit)

    def who(self) -> str:
        """Return the chosen workers. Groups are parts of the pool."""
        chosen: str = self.cleaned_data.get("pool", "")
        return Who.POOL if self.group() is not None else chosen

    def groups(self) -> list[int]:
        """Return the chosen production group as a list, which is empty without one."""
        group = self.group()
        return [] if group is None else [group]

    def group(self) -> int | None:
        """Return the chosen production group, or None."""
        chosen: str = self.cleaned_data.get("pool", "")
        return int(chosen.removeprefix("group-")) if chosen.startswith("group-") else None


class TermsForm(forms.Form):
    """The terms of a batch that can change after publishing."""

    keep_open = CountField(
        required=False,
        min_value=1,
        max_value=100_000,
        label="Items to keep open",
        help_text="More items are published when fewer are open. Leave empty for no top-up.",
    )
    republish_limit = RepublishLimitField()
    cap = DollarsField(
        label="Batch limit, in dollars",
        help_text="Includes fees. The project's budget limit still applies. Leave empty for none.",
    )

    def __init__(self, *args: Any, can_top_up: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not can_top_up:
            del self.fields["keep_open"]


class OverturnForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        help_text="For example, an appeal or what the reviewer missed. Stored with the submission.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    use = forms.ChoiceField(
        choices=[("yes", "Pay and use the work"), ("no", "Pay, but exclude the work")],
    )


class AcceptBonusForm(forms.Form):
    """The units of a held bonus to pay, by submission, and a note for the worker.

    `key` distinguishes the forms of a page. `units` has the number of units of each submission, by
    its id.
    """

    def __init__(self, data: Any = None, *, key: int, units: Mapping[int, int], unit: Noun) -> None:
        super().__init__(data, auto_id=f"accept_{key}_%s")
        self._units = units
        for pk, number in units.items():
            self.fields[f"units_{pk}"] = forms.IntegerField(
                min_value=0,
                max_value=number,
                initial=number,
                label=f"{unit.plural.capitalize()} to pay, of {number}",
            )
        self.fields["note"] = forms.CharField(
            required=False, max_length=1000, label="Note for the worker (optional)"
        )

    def accepted_units(self) -> dict[int, int] | None:
        """Return the accepted units by submission id, or None for all of them."""
        accepted = {pk: self.cleaned_data[f"units_{pk}"] for pk in self._units}
        return None if accepted == self._units else accepted


class DeclineBonusForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        help_text="The worker sees this. Explain what was wrong and what was expected.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, data: Any = None, *, key: int) -> None:
        super().__init__(data, auto_id=f"decline_{key}_%s")

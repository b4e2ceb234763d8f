"""Forms for inviting workers to a round."""

from typing import Any

from django import forms

from crowd.domain.workers.verify_workers import WorkerIdError, read_worker_ids
from qualification.domain.rounds.choose_workers import Candidates, blocked_among
from qualification.models import Round

MAX_WORKERS = 1000
PASSED = "passed-"


class CandidateFilterForm(forms.Form):
    """The workers to choose from."""

    group = forms.ChoiceField(required=False, label="Show")
    text = forms.CharField(required=False, max_length=20, label="Worker")

    def __init__(self, data: Any = None, *, round: Round) -> None:
        super().__init__(data)
        field = self.fields["group"]
        assert isinstance(field, forms.ChoiceField)
        others = round.project.rounds.exclude(pk=round.pk).order_by("-role", "ordinal")
        field.choices = [
            (Candidates.ALL.value, "All but declined"),
            *((f"{PASSED}{other.pk}", f"Passed {other.title}") for other in others),
            (Candidates.ASKED.value, "Asked for a qualification"),
            (Candidates.WORKED.value, "Worked in this project"),
            (Candidates.TURNED_DOWN.value, "Declined or withdrawn"),
        ]

    def selection(self) -> dict[str, Any]:
        """Return the arguments of `candidates_of`."""
        data = self.cleaned_data if self.is_valid() else {}
        group = data.get("group", "")
        if group.startswith(PASSED):
            chosen: dict[str, Any] = {"passed": int(group.removeprefix(PASSED))}
        else:
            chosen = {"group": group}
        return {**chosen, "text": data.get("text", "")}


class WorkerIdsForm(forms.Form):
    """Workers' ids at the crowd provider."""

    ids = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Worker ids",
        help_text="Their ids at the crowd provider, separated by spaces or line breaks. A username is "
        "not an id.",
    )

    def __init__(self, data: Any = None, *, provider: str) -> None:
        super().__init__(data)
        self._provider = provider

    def clean_ids(self) -> list[str]:
        try:
            lines = read_worker_ids(provider=self._provider, text=self.cleaned_data["ids"])
        except WorkerIdError as error:
            raise forms.ValidationError(str(error)) from error
        if len(lines) > MAX_WORKERS:
            raise forms.ValidationError(f"Enter up to {MAX_WORKERS} ids.")
        if blocked := blocked_among(provider=self._provider, ids=list(lines)):
            named = ", ".join(f"{worker} (line {lines[worker]})" for worker in blocked)
            raise forms.ValidationError(f"Blocked workers can’t be invited: {named}.")
        return list(lines)

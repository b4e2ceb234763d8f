"""Admin pages of workers, HITs and money. Workers appear by pseudonym."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import models
from django.forms import ModelForm
from django.http import HttpRequest

from audit.admin import ReadOnlyAdmin, register_read_only
from crowd.models import (
    Assignment,
    Block,
    Budget,
    Hit,
    HitType,
    LedgerEntry,
    Message,
    OrphanHit,
    Payment,
    QualificationGrant,
    QualificationType,
    ReceivedMessage,
    Worker,
)


class BudgetForm(ModelForm):
    def clean_cap_cents(self) -> int | None:
        cap: int | None = self.cleaned_data["cap_cents"]
        committed = self.instance.reserved_cents + self.instance.spent_cents
        if cap is not None and cap < committed:
            raise ValidationError(
                f"{committed} cents are reserved or spent already. Enter at least that amount."
            )
        return cap


@admin.register(Budget)
class BudgetAdmin(ReadOnlyAdmin):
    """An admin in which only the cap can be edited."""

    form = BudgetForm
    list_display = ("key", "cap_cents", "reserved_cents", "spent_cents")
    readonly_fields = ("key", "reserved_cents", "spent_cents")
    search_fields = ("key",)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def save_model(self, request: HttpRequest, obj: Budget, form: ModelForm, change: Any) -> None:
        # The sums may have changed since the form was opened, so they are not written.
        obj.save(update_fields=form.changed_data)


register_read_only(
    Worker, "pseudonym provider first_seen_at", search="pseudonym", exclude=("external_id",)
)
register_read_only(QualificationType, "code name provider", search="code name")
register_read_only(
    QualificationGrant,
    "qualification_type worker value state changed_at error",
    filters="state",
    search="worker__pseudonym qualification_type__code",
)
register_read_only(HitType, "title reward_cents provider external_id", search="title external_id")
register_read_only(
    Hit,
    "__str__ state max_assignments prepared_at created_at error",
    filters="state",
    search="external_id token",
)
register_read_only(
    Assignment,
    "external_id worker state submitted_at decided_at",
    filters="state",
    search="external_id worker__pseudonym",
)
register_read_only(
    Payment,
    "assignment kind amount_cents fee_cents state error",
    filters="state kind",
    search="assignment__external_id assignment__worker__pseudonym",
)
register_read_only(
    LedgerEntry, "at budget kind amount_cents fee_cents key", filters="kind", search="key"
)
register_read_only(
    Message,
    "subject worker state written_at sent_at error",
    filters="state",
    search="worker__pseudonym subject",
)
register_read_only(
    ReceivedMessage, "subject worker sent_at read_at", search="worker__pseudonym subject"
)
register_read_only(
    Block, "worker state reason changed_at error", filters="state", search="worker__pseudonym"
)
register_read_only(
    OrphanHit,
    "external_id title annotation max_assignments undecided_assignments expires_at hit",
    filters="provider",
    search="external_id annotation title",
)

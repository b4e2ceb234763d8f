"""Admin pages of workers, HITs and money. Workers appear by pseudonym."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import models
from django.forms import ModelForm
from django.http import HttpRequest

from audit.admin import ReadOnlyAdmin
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


@admin.register(Worker)
class WorkerAdmin(ReadOnlyAdmin):
    list_display = ("pseudonym", "provider", "first_seen_at")
    search_fields = ("pseudonym",)
    exclude = ("external_id",)


@admin.register(QualificationType)
class QualificationTypeAdmin(ReadOnlyAdmin):
    list_display = ("code", "name", "provider")
    search_fields = ("code", "name")


@admin.register(QualificationGrant)
class QualificationGrantAdmin(ReadOnlyAdmin):
    list_display = ("qualification_type", "worker", "value", "state", "changed_at", "error")
    list_filter = ("state",)
    list_select_related = ("qualification_type", "worker")
    search_fields = ("worker__pseudonym", "qualification_type__code")


@admin.register(HitType)
class HitTypeAdmin(ReadOnlyAdmin):
    list_display = ("title", "reward_cents", "provider", "external_id")
    search_fields = ("title", "external_id")


@admin.register(Hit)
class HitAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "state", "max_assignments", "prepared_at", "created_at", "error")
    list_filter = ("state",)
    search_fields = ("external_id", "token")


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ("external_id", "worker", "state", "submitted_at", "decided_at")
    list_filter = ("state",)
    list_select_related = ("worker",)
    search_fields = ("external_id", "worker__pseudonym")


@admin.register(Payment)
class PaymentAdmin(ReadOnlyAdmin):
    list_display = ("assignment", "kind", "amount_cents", "fee_cents", "state", "error")
    list_filter = ("state", "kind")
    list_select_related = ("assignment",)
    search_fields = ("assignment__external_id", "assignment__worker__pseudonym")


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "budget", "kind", "amount_cents", "fee_cents", "key")
    list_filter = ("kind",)
    list_select_related = ("budget",)
    search_fields = ("key",)


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    list_display = ("subject", "worker", "state", "written_at", "sent_at", "error")
    list_filter = ("state",)
    list_select_related = ("worker",)
    search_fields = ("worker__pseudonym", "subject")


@admin.register(Block)
class BlockAdmin(ReadOnlyAdmin):
    list_display = ("worker", "state", "reason", "changed_at", "error")
    list_filter = ("state",)
    list_select_related = ("worker",)
    search_fields = ("worker__pseudonym",)


@admin.register(OrphanHit)
class OrphanHitAdmin(ReadOnlyAdmin):
    list_display = (
        "external_id", "title", "annotation", "max_assignments", "undecided_assignments",
        "expires_at", "hit",
    )  # fmt: skip
    list_filter = ("provider",)
    list_select_related = ("hit",)
    search_fields = ("external_id", "annotation", "title")

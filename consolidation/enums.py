from django.db.models import TextChoices


class CaseState(TextChoices):
    OPEN = "open", "open"
    OFFERED = "offered", "offered to consolidators"
    CONSOLIDATED = "consolidated", "consolidated"


class GoldSource(TextChoices):
    CONSOLIDATED = "consolidated", "consolidated"
    EXPERT = "expert", "expert"
    IMPORTED = "imported", "imported"


class ReviewState(TextChoices):
    DRAWN = "drawn", "waiting for an expert"
    CONFIRMED = "confirmed", "confirmed"
    CORRECTED = "corrected", "corrected"
    RETURNED = "returned", "returned"


class DecisionKind(TextChoices):
    """A person's word on one automatic decision."""

    PAIR_ACCEPTED = "pair-accepted", "the same argument"
    PAIR_REFUSED = "pair-refused", "not the same argument"
    LABEL_ACCEPTED = "label-accepted", "the same role"
    LABEL_REFUSED = "label-refused", "not the same role"


class PartitionUnit(TextChoices):
    """What a drawing of partitions never splits."""

    SENTENCE = "sentence", "whole sentences"
    DOCUMENT = "document", "whole documents"
    GIVEN = "given", "as the corpus came"

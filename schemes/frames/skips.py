"""The reasons for which an annotator may skip a record."""

from schemes.contract.texts import Translatable

SKIP_REASONS = {
    "not-understood": Translatable("I don't understand the sentence"),
    "not-a-verb": Translatable("The marked word is not a verb here"),
    "no-frame": Translatable("No frame fits"),
    "other": Translatable("Another reason (explain it in the comment)"),
}

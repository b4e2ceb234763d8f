"""The reasons for which an annotator may skip a record."""

SKIP_REASONS = {
    "not-understood": "I don't understand the sentence",
    "not-a-verb": "The marked word is not a verb here",
    "no-frame": "No frame fits",
    "other": "Another reason (explain it in the comment)",
}

"""The index that the search of gold has on PostgreSQL."""

from django.db import migrations

from annotation.trigram_index import index_by_trigrams


def index_gold_by_trigrams() -> migrations.RunPython:
    """A migration step."""
    return index_by_trigrams(
        name="consolidation_goldentry_trigrams",
        table="consolidation_goldentry",
        expressions=["questions", "target", "workers"],
    )

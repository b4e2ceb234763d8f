from django.db import migrations

from annotation.trigram_index import index_by_trigrams


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]

    operations = [
        # The search of items upper-cases tokens as JSON text.
        index_by_trigrams(
            name="annotation_sentence_trigrams",
            table="annotation_sentence",
            expressions=["upper(tokens::text)"],
        ),
    ]

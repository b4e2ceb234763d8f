from django.db import migrations

from audit.append_only import WITH_PROJECT, append_only
from consolidation.trigram_index import index_by_trigrams


class Migration(migrations.Migration):
    dependencies = [("consolidation", "0001_initial")]

    operations = [
        append_only("consolidation_gold", unless=WITH_PROJECT),
        append_only("consolidation_judgment", unless=WITH_PROJECT),
        index_by_trigrams(
            name="consolidation_goldentry_trigrams",
            table="consolidation_goldentry",
            expressions=["content_text", "target_text", "workers"],
        ),
    ]

from django.db import migrations

from marketplace.append_only import ledger_is_append_only


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0001_initial")]

    operations = [
        ledger_is_append_only(),
    ]

from django.db import migrations

from audit.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0001_initial")]

    operations = [
        append_only("marketplace_ledgerentry"),
    ]

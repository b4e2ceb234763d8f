from django.db import migrations

from audit.append_only import EXPIRED, append_only


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [
        append_only("audit_statechange", unless=EXPIRED),
    ]

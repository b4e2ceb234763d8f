from django.db import migrations

from audit.append_only import WITH_PROJECT, append_only


class Migration(migrations.Migration):
    dependencies = [("releases", "0001_initial")]

    operations = [append_only("releases_releaseditem", unless=WITH_PROJECT)]

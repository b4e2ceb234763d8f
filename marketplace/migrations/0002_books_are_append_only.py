from django.db import migrations

from marketplace.append_only import books_are_append_only


class Migration(migrations.Migration):
    dependencies = [("marketplace", "0001_initial")]
    operations = [books_are_append_only()]

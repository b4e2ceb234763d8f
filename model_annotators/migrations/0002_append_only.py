from django.db import migrations

from audit.append_only import WITH_PROJECT, append_only


class Migration(migrations.Migration):
    dependencies = [("model_annotators", "0001_initial")]

    operations = [append_only("model_annotators_modelanswer", unless=WITH_PROJECT)]

"""Every table of this app at once, for a new database; an old one goes on with what it replaces."""

from django.db import migrations, models

from audit.append_only import append_only


class Migration(migrations.Migration):

    replaces = [
        ('audit', '0001_initial'),
        ('audit', '0002_log_append_only'),
    ]

    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name='StateChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('aggregate', models.CharField(max_length=60)),
                ('object_id', models.BigIntegerField()),
                ('old', models.CharField(max_length=30)),
                ('new', models.CharField(max_length=30)),
                ('actor', models.CharField(max_length=150)),
                ('reason', models.TextField(blank=True)),
                ('at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(fields=['aggregate', 'object_id', 'at'], name='audit_state_aggrega_07d1bd_idx')],
            },
        ),
        append_only('audit_statechange'),
    ]

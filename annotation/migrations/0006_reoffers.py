from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0005_settings_and_notes'),
    ]

    operations = [
        # Batches of before stay as they were: nothing of them is offered again by itself.
        migrations.AddField(
            model_name='batch',
            name='reoffer_limit',
            field=models.PositiveSmallIntegerField(db_default=0, default=3),
        ),
        migrations.AddField(
            model_name='batch',
            name='reoffer_problem',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
        migrations.AddField(
            model_name='task',
            name='ended_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='taskitem',
            name='reoffers',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='submission',
            name='copy_chosen',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0006_reoffers'),
        ('consolidation', '0005_decisions_on_gold'),
    ]

    operations = [
        migrations.AddField(
            model_name='case',
            name='earlier_tasks',
            field=models.ManyToManyField(blank=True, related_name='earlier_case', to='annotation.task'),
        ),
    ]

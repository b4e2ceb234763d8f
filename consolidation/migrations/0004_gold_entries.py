import django.db.models.deletion
from django.db import migrations, models

from consolidation.trigram_index import index_gold_by_trigrams


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0003_item_in_production'),
        ('consolidation', '0003_partitions_and_monitoring'),
    ]

    operations = [
        migrations.CreateModel(
            name='GoldEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(choices=[('consolidated', 'consolidated'), ('expert', 'expert'), ('imported', 'imported')], max_length=20)),
                ('questions', models.TextField()),
                ('target', models.TextField()),
                ('workers', models.TextField()),
                ('gold', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='entry', to='consolidation.gold')),
                ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='gold_entries', to='annotation.item')),
                ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.project')),
                ('sentence', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gold_entries', to='annotation.sentence')),
            ],
            options={
                'verbose_name_plural': 'gold entries',
                'indexes': [models.Index(fields=['project', 'sentence', 'source'], name='consolidati_project_4bd971_idx')],
                'constraints': [models.UniqueConstraint(fields=('item', 'source'), name='gold_entry_once_per_source')],
            },
        ),
        index_gold_by_trigrams(),
    ]

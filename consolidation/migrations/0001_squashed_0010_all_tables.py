"""Every table of this app at once, for a new database; an old one goes on with what it replaces."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from audit.append_only import append_only
from audit.create_tables import CreateTables
from consolidation.trigram_index import index_gold_by_trigrams


class Migration(migrations.Migration):

    replaces = [
        ('consolidation', '0001_initial'),
        ('consolidation', '0002_gold_append_only'),
        ('consolidation', '0003_partitions_and_monitoring'),
        ('consolidation', '0004_gold_entries'),
        ('consolidation', '0005_decisions_on_gold'),
        ('consolidation', '0006_reoffered_cases'),
        ('consolidation', '0007_validated_gold'),
        ('consolidation', '0008_experts_work'),
        ('consolidation', '0009_given_cases'),
        ('consolidation', '0010_experiments'),
    ]

    initial = True

    dependencies = [
        ('annotation', '0001_squashed_0009_all_tables'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Case',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='cases', to='annotation.item')),
                    ('place', models.PositiveSmallIntegerField(default=0)),
                    ('state', models.CharField(choices=[('open', 'open'), ('offered', 'offered to workers'), ('consolidated', 'consolidated'), ('validated', 'validated')], default='open', max_length=20)),
                    ('task', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='case', to='annotation.task')),
                    ('given', models.JSONField(blank=True, null=True)),
                    ('opened_at', models.DateTimeField()),
                    ('earlier_tasks', models.ManyToManyField(blank=True, related_name='earlier_case', to='annotation.task')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state', 'open')), fields=['id'], name='case_to_offer')],
                    'constraints': [models.UniqueConstraint(fields=('item', 'place'), name='case_once_per_place'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'open'), ('task', None)), ('state', 'validated'), models.Q(models.Q(('state', 'open'), _negated=True), models.Q(('task', None), _negated=True)), _connector='OR'), name='case_offered_with_its_task')],
                },
            ),
            migrations.CreateModel(
                name='CaseSource',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='consolidation.case')),
                    ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='case_sources', to='annotation.submission')),
                    ('position', models.PositiveSmallIntegerField()),
                ],
                options={
                    'ordering': ['position'],
                    'constraints': [models.UniqueConstraint(fields=('case', 'position'), name='case_source_order'), models.UniqueConstraint(fields=('case', 'submission'), name='case_source_once')],
                },
            ),
            migrations.CreateModel(
                name='Gold',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='gold', to='annotation.item')),
                    ('source', models.CharField(choices=[('consolidated', 'consolidated'), ('validated', 'validated'), ('expert', 'expert'), ('imported', 'imported')], max_length=20)),
                    ('version', models.PositiveIntegerField()),
                    ('content', models.JSONField()),
                    ('schema_version', models.PositiveSmallIntegerField()),
                    ('provenance', models.JSONField(default=list)),
                    ('case', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='gold', to='consolidation.case')),
                    ('submission', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='gold', to='annotation.submission')),
                    ('created_at', models.DateTimeField()),
                ],
                options={
                    'verbose_name_plural': 'gold',
                    'constraints': [models.UniqueConstraint(fields=('item', 'source', 'version'), name='gold_version_once'), models.CheckConstraint(condition=models.Q(models.Q(('source', 'consolidated'), _negated=True), ('case__isnull', False), _connector='OR'), name='gold_consolidated_in_a_case')],
                },
            ),
            migrations.CreateModel(
                name='GoldEntry',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('gold', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='entry', to='consolidation.gold')),
                    ('item', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='gold_entries', to='annotation.item')),
                    ('source', models.CharField(choices=[('consolidated', 'consolidated'), ('validated', 'validated'), ('expert', 'expert'), ('imported', 'imported')], max_length=20)),
                    ('project', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.project')),
                    ('sentence', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gold_entries', to='annotation.sentence')),
                    ('questions', models.TextField()),
                    ('target', models.TextField()),
                    ('workers', models.TextField()),
                ],
                options={
                    'verbose_name_plural': 'gold entries',
                    'indexes': [models.Index(fields=['project', 'sentence', 'source'], name='consolidati_project_4bd971_idx')],
                    'constraints': [models.UniqueConstraint(fields=('item', 'source'), name='gold_entry_once_per_source')],
                },
            ),
            migrations.CreateModel(
                name='Judgment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('gold', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='consolidation.gold')),
                    ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='annotation.submission')),
                    ('position', models.PositiveSmallIntegerField()),
                ],
                options={
                    'ordering': ['position'],
                    'constraints': [models.UniqueConstraint(fields=('gold', 'position'), name='judgment_order'), models.UniqueConstraint(fields=('gold', 'submission'), name='judgment_once')],
                },
            ),
            migrations.CreateModel(
                name='Review',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('gold', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='review', to='consolidation.gold')),
                    ('state', models.CharField(choices=[('drawn', 'waiting for an expert'), ('confirmed', 'confirmed'), ('corrected', 'corrected'), ('returned', 'returned')], default='drawn', max_length=20)),
                    ('drawn_at', models.DateTimeField()),
                    ('reviewed_at', models.DateTimeField(blank=True, null=True)),
                    ('expert', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('correction', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='corrects', to='consolidation.gold')),
                    ('comment', models.TextField(blank=True)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('expert', None), ('reviewed_at', None), ('state', 'drawn')), models.Q(models.Q(('state', 'drawn'), _negated=True), ('expert__isnull', False), ('reviewed_at__isnull', False)), _connector='OR'), name='review_judged_by_an_expert')],
                },
            ),
            migrations.CreateModel(
                name='ExpertQueue',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='expert_queues', to='annotation.project')),
                    ('title', models.CharField(max_length=120)),
                    ('kind', models.CharField(choices=[('annotate', 'write annotations'), ('merge', 'merge annotations')], max_length=20)),
                    ('state', models.CharField(choices=[('open', 'open'), ('closed', 'closed')], default='open', max_length=20)),
                    ('experts_per_item', models.PositiveSmallIntegerField(default=1)),
                    ('makes_gold', models.BooleanField(default=False)),
                    ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('created_at', models.DateTimeField()),
                    ('items', models.ManyToManyField(related_name='expert_queues', through='consolidation.QueuedItem', to='annotation.item')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'title'), name='expert_queue_title_once'), models.CheckConstraint(condition=models.Q(models.Q(('experts_per_item', 1), ('kind', 'merge'), ('makes_gold', True)), models.Q(('experts_per_item__range', (1, 9)), ('kind', 'annotate'), ('makes_gold', False)), models.Q(('experts_per_item', 1), ('kind', 'annotate'), ('makes_gold', True)), _connector='OR'), name='expert_queue_one_expert_makes_gold')],
                },
            ),
            migrations.CreateModel(
                name='QueuedItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('queue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='queued', to='consolidation.expertqueue')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='queued', to='annotation.item')),
                    ('ordinal', models.PositiveIntegerField()),
                ],
                options={
                    'ordering': ['ordinal'],
                    'constraints': [models.UniqueConstraint(fields=('queue', 'item'), name='queued_item_once'), models.UniqueConstraint(fields=('queue', 'ordinal'), name='queued_item_order')],
                },
            ),
            migrations.CreateModel(
                name='Merge',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('queued', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='merge', to='consolidation.queueditem')),
                    ('state', models.CharField(choices=[('open', 'open'), ('merged', 'merged')], default='open', max_length=20)),
                    ('content', models.JSONField(blank=True, null=True)),
                    ('summary', models.JSONField(blank=True, default=dict)),
                    ('rule', models.CharField(blank=True, max_length=60)),
                    ('merged_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('merged_at', models.DateTimeField(blank=True, null=True)),
                    ('gold', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merge', to='consolidation.gold')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('gold', None), ('merged_at', None), ('merged_by', None), ('state', 'open')), models.Q(('gold__isnull', False), ('merged_at__isnull', False), ('merged_by__isnull', False), ('state', 'merged')), _connector='OR'), name='merge_done_with_its_gold')],
                },
            ),
            migrations.CreateModel(
                name='MergeSource',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('merge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='consolidation.merge')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('origin', models.CharField(choices=[('generator', "workers' generations"), ('expert', 'expert'), ('consolidated', 'consolidated gold'), ('imported', 'imported gold'), ('reference', 'earlier expert gold'), ('system', 'system')], max_length=20)),
                    ('name', models.CharField(blank=True, max_length=150)),
                    ('submission', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merge_sources', to='annotation.submission')),
                    ('gold', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merge_sources', to='consolidation.gold')),
                    ('content', models.JSONField()),
                    ('fate', models.JSONField(blank=True, null=True)),
                ],
                options={
                    'ordering': ['position'],
                    'constraints': [models.UniqueConstraint(fields=('merge', 'position'), name='merge_source_order')],
                },
            ),
            migrations.CreateModel(
                name='SystemAnnotation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='system_annotations', to='annotation.item')),
                    ('system', models.CharField(max_length=60)),
                    ('content', models.JSONField()),
                    ('schema_version', models.PositiveSmallIntegerField()),
                    ('imported_at', models.DateTimeField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('item', 'system'), name='system_annotation_once')],
                },
            ),
            migrations.CreateModel(
                name='ExpertDraft',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('content', models.JSONField(default=dict)),
                    ('comment', models.TextField(blank=True)),
                    ('revision', models.PositiveIntegerField(default=0)),
                    ('opened_at', models.DateTimeField()),
                    ('saved_at', models.DateTimeField()),
                    ('submitted_at', models.DateTimeField(blank=True, null=True)),
                    ('active_seconds', models.PositiveIntegerField(default=0)),
                    ('moves', models.PositiveIntegerField(default=0)),
                    ('guidelines', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='annotation.guidelines')),
                    ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='expert_drafts', to=settings.AUTH_USER_MODEL)),
                    ('queued', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='consolidation.queueditem')),
                    ('review', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='consolidation.review')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('queued', 'author'), name='expert_draft_once_per_item'), models.UniqueConstraint(fields=('review', 'author'), name='expert_draft_once_per_review'), models.CheckConstraint(condition=models.Q(models.Q(('queued', None), ('review__isnull', False)), models.Q(('queued__isnull', False), ('review', None)), _connector='OR'), name='expert_draft_of_one_thing')],
                },
            ),
            migrations.CreateModel(
                name='Decision',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reference', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='consolidation.gold')),
                    ('submission', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='annotation.submission')),
                    ('predicted', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions_on', to='consolidation.gold')),
                    ('kind', models.CharField(choices=[('pair-accepted', 'the same argument'), ('pair-refused', 'not the same argument'), ('label-accepted', 'the same role'), ('label-refused', 'not the same role'), ('answer-accepted', 'right, though the expert lacks it')], max_length=20)),
                    ('reference_span', models.JSONField(blank=True, null=True)),
                    ('predicted_span', models.JSONField(blank=True, null=True)),
                    ('decided_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('decided_at', models.DateTimeField()),
                    ('reason', models.TextField(blank=True)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('predicted', None), ('submission__isnull', False)), models.Q(('predicted__isnull', False), ('submission', None)), _connector='OR'), name='decision_on_a_submission_or_on_gold')],
                },
            ),
            migrations.CreateModel(
                name='Experiment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='experiments', to='annotation.project')),
                    ('batch', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='experiment', to='annotation.batch')),
                    ('generators', models.PositiveSmallIntegerField()),
                    ('consolidates', models.BooleanField()),
                    ('started_by', models.CharField(max_length=150)),
                    ('started_at', models.DateTimeField()),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('generators__range', (1, 9))), name='experiment_one_to_nine_generators')],
                },
            ),
            migrations.CreateModel(
                name='Partitioning',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='partitioning', to='annotation.project')),
                    ('unit', models.CharField(choices=[('sentence', 'whole sentences'), ('document', 'whole documents'), ('given', 'as the corpus came')], max_length=20)),
                    ('seed', models.BigIntegerField(blank=True, null=True)),
                    ('shares', models.JSONField(blank=True, default=dict)),
                    ('drawn_at', models.DateTimeField(blank=True, null=True)),
                    ('frozen_at', models.DateTimeField(blank=True, null=True)),
                    ('digest', models.CharField(blank=True, max_length=64)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('digest', ''), ('frozen_at', None)), models.Q(('frozen_at__isnull', False), models.Q(('digest', ''), _negated=True)), _connector='OR'), name='partitioning_frozen_with_its_digest'), models.CheckConstraint(condition=models.Q(models.Q(('drawn_at', None), ('seed', None), ('unit', 'given')), models.Q(models.Q(('unit', 'given'), _negated=True), ('drawn_at__isnull', False), ('seed__isnull', False)), _connector='OR'), name='partitioning_drawn_by_a_seed')],
                },
            ),
            migrations.CreateModel(
                name='Monitoring',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='monitoring', to='annotation.project')),
                    ('per_thousand', models.PositiveSmallIntegerField(default=10)),
                ],
                options={
                    'verbose_name_plural': 'monitoring',
                    'constraints': [models.CheckConstraint(condition=models.Q(('per_thousand__range', (0, 1000))), name='monitoring_at_most_everything')],
                },
            ),
        ]),
        append_only('consolidation_gold'),
        append_only('consolidation_judgment'),
        index_gold_by_trigrams(),
    ]

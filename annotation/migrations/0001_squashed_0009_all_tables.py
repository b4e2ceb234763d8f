"""Every table of this app at once, for a new database; an old one goes on with what it replaces."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

from audit.create_tables import CreateTables


class Migration(migrations.Migration):

    replaces = [
        ('annotation', '0001_initial'),
        ('annotation', '0002_batches_and_compensation'),
        ('annotation', '0003_item_in_production'),
        ('annotation', '0004_imports_and_api_tokens'),
        ('annotation', '0005_settings_and_notes'),
        ('annotation', '0006_reoffers'),
        ('annotation', '0007_validation_protocol'),
        ('annotation', '0008_one_live_submission_per_author'),
        ('annotation', '0009_rounds_terms'),
    ]

    initial = True

    dependencies = [
        ('crowd', '0001_squashed_0007_all_tables'),
        # The last one, not `swappable_dependency`: its changes of `User` are dear once our tables hang on it.
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Project',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=60, unique=True)),
                    ('title', models.CharField(max_length=200)),
                    ('scheme', models.CharField(max_length=30)),
                    ('provider', models.CharField(choices=[('mturk', 'MTurk-compatible')], default='mturk', max_length=20)),
                    ('budget', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='project', to='crowd.budget')),
                    ('pay_scheme', models.JSONField()),
                    ('generators_per_item', models.PositiveSmallIntegerField(default=2)),
                    ('protocol', models.CharField(choices=[('consolidation', 'consolidation'), ('validation', 'validation')], db_default='consolidation', default='consolidation', max_length=20)),
                    ('validators_per_item', models.PositiveSmallIntegerField(db_default=2, default=2)),
                    ('validators_to_agree', models.PositiveSmallIntegerField(db_default=2, default=2)),
                    ('exclusion_scope', models.CharField(choices=[('item', 'the item'), ('sentence', 'the whole sentence')], default='item', max_length=20)),
                    ('worker_requirements', models.JSONField(blank=True, default=list)),
                    ('minimum_hourly_cents', models.PositiveIntegerField(blank=True, null=True)),
                    ('seed', models.BigIntegerField(default=1)),
                    ('created_at', models.DateTimeField()),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('generators_per_item__range', (1, 9))), name='project_one_to_nine_generators'), models.CheckConstraint(condition=models.Q(('validators_per_item__range', (1, 9)), ('validators_to_agree__gte', 1), ('validators_to_agree__lte', models.F('validators_per_item'))), name='project_validators_can_agree'), models.CheckConstraint(condition=models.Q(models.Q(('protocol', 'validation'), _negated=True), ('generators_per_item', 1), _connector='OR'), name='project_validation_of_one_generator')],
                },
            ),
            migrations.CreateModel(
                name='Membership',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='annotation.project')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                    ('role', models.CharField(choices=[('admin', 'admin'), ('requester', 'requester'), ('trainer', 'trainer'), ('expert', 'expert')], max_length=20)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'user', 'role'), name='membership_once')],
                },
            ),
            migrations.CreateModel(
                name='Guidelines',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='guidelines', to='annotation.project')),
                    ('role', models.CharField(choices=[('generator', 'generator'), ('consolidator', 'consolidator'), ('validator', 'validator'), ('expert', 'expert')], max_length=20)),
                    ('version', models.PositiveIntegerField()),
                    ('text', models.TextField()),
                    ('written_at', models.DateTimeField()),
                ],
                options={
                    'verbose_name_plural': 'guidelines',
                    'constraints': [models.UniqueConstraint(fields=('project', 'role', 'version'), name='guidelines_version_once')],
                },
            ),
            migrations.CreateModel(
                name='WorkerNote',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='worker_notes', to='annotation.project')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notes', to='crowd.worker')),
                    ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('text', models.CharField(max_length=2000)),
                    ('written_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ['-written_at', '-pk'],
                },
            ),
            migrations.CreateModel(
                name='Sentence',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sentences', to='annotation.project')),
                    ('external_id', models.CharField(max_length=200)),
                    ('tokens', models.JSONField()),
                    ('domain', models.CharField(blank=True, max_length=60)),
                    ('partition', models.CharField(blank=True, choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=10)),
                    ('image', models.CharField(blank=True, max_length=500)),
                    ('metadata', models.JSONField(blank=True, default=dict)),
                ],
                options={
                    'indexes': [models.Index(fields=['project', 'domain', 'partition', 'external_id'], name='annotation__project_d07137_idx')],
                    'constraints': [models.UniqueConstraint(fields=('project', 'external_id'), name='sentence_once_per_project')],
                },
            ),
            migrations.CreateModel(
                name='Item',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotation.project')),
                    ('sentence', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotation.sentence')),
                    ('key', models.CharField(max_length=240)),
                    ('target', models.JSONField()),
                    ('position', models.BigIntegerField()),
                    ('in_production', models.BooleanField(db_default=True, default=True)),
                ],
                options={
                    'indexes': [models.Index(fields=['project', 'position'], name='annotation__project_020d2c_idx')],
                    'constraints': [models.UniqueConstraint(fields=('project', 'key'), name='item_once_per_project')],
                },
            ),
            migrations.CreateModel(
                name='Batch',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='annotation.project')),
                    ('role', models.CharField(choices=[('generator', 'generator'), ('consolidator', 'consolidator'), ('validator', 'validator'), ('expert', 'expert')], max_length=20)),
                    ('state', models.CharField(choices=[('open', 'open'), ('paused', 'paused'), ('closed', 'closed')], default='open', max_length=20)),
                    ('title', models.CharField(max_length=128)),
                    ('description', models.CharField(max_length=2000)),
                    ('keywords', models.CharField(blank=True, max_length=1000)),
                    ('reward_cents', models.PositiveIntegerField()),
                    ('bonus_allowance_cents', models.PositiveIntegerField(default=0)),
                    ('assignment_seconds', models.PositiveIntegerField(default=3600)),
                    ('lifetime_seconds', models.PositiveIntegerField(default=1209600)),
                    ('auto_approval_seconds', models.PositiveIntegerField(default=259200)),
                    ('qualifications', models.JSONField(blank=True, default=list)),
                    ('budget', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='batch', to='crowd.budget')),
                    ('keep_open', models.PositiveIntegerField(blank=True, null=True)),
                    ('item_limit', models.PositiveIntegerField(blank=True, null=True)),
                    ('problem', models.TextField(blank=True)),
                    ('reoffer_limit', models.PositiveSmallIntegerField(db_default=0, default=3)),
                    ('reoffer_problem', models.TextField(blank=True, db_default='', default='')),
                    ('for_training', models.BooleanField(db_default=False, default=False)),
                    ('terms', models.JSONField(blank=True, null=True)),
                    ('guidelines', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='annotation.guidelines')),
                    ('created_at', models.DateTimeField()),
                ],
                options={
                    'verbose_name_plural': 'batches',
                    'constraints': [models.UniqueConstraint(condition=models.Q(('for_training', False), ('role', 'consolidator'), ('state', 'open')), fields=('project',), name='one_open_consolidation_batch'), models.UniqueConstraint(condition=models.Q(('role', 'validator'), ('state', 'open')), fields=('project',), name='one_open_validation_batch')],
                },
            ),
            migrations.CreateModel(
                name='Task',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tasks', to='annotation.batch')),
                    ('hit', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='task', to='crowd.hit')),
                    ('public_id', models.UUIDField(default=uuid.uuid4, unique=True)),
                    ('role', models.CharField(choices=[('generator', 'generator'), ('consolidator', 'consolidator'), ('validator', 'validator'), ('expert', 'expert')], max_length=20)),
                    ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ('hand', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('items', models.ManyToManyField(related_name='tasks', through='annotation.TaskItem', to='annotation.item')),
                ],
            ),
            migrations.CreateModel(
                name='TaskItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='task_items', to='annotation.task')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='task_items', to='annotation.item')),
                    ('ordinal', models.PositiveSmallIntegerField(default=0)),
                    ('role', models.CharField(choices=[('generator', 'generator'), ('consolidator', 'consolidator'), ('validator', 'validator'), ('expert', 'expert')], max_length=20)),
                    ('place', models.PositiveSmallIntegerField(default=0)),
                    ('reoffers', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ],
                options={
                    'ordering': ['ordinal'],
                    'constraints': [models.UniqueConstraint(fields=('item', 'role', 'place'), name='item_published_once_per_place'), models.UniqueConstraint(fields=('task', 'ordinal'), name='task_item_order')],
                },
            ),
            migrations.CreateModel(
                name='HandTaken',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('batch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hands_taken', to='annotation.batch')),
                    ('worker_ref', models.CharField(max_length=64)),
                    ('hand', models.PositiveSmallIntegerField()),
                ],
                options={
                    'verbose_name_plural': 'hands taken',
                    'constraints': [models.UniqueConstraint(fields=('batch', 'worker_ref'), name='one_hand_per_worker')],
                },
            ),
            migrations.CreateModel(
                name='Draft',
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
                    ('task', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drafts', to='annotation.task')),
                    ('assignment_ref', models.CharField(max_length=64)),
                    ('worker_ref', models.CharField(max_length=64)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('assignment_ref', 'worker_ref', 'task'), name='draft_once_per_assignment')],
                },
            ),
            migrations.CreateModel(
                name='Submission',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotation.item')),
                    ('role', models.CharField(choices=[('generator', 'generator'), ('consolidator', 'consolidator'), ('validator', 'validator'), ('expert', 'expert')], max_length=20)),
                    ('worker', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='crowd.worker')),
                    ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='crowd.assignment')),
                    ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to=settings.AUTH_USER_MODEL)),
                    ('content', models.JSONField()),
                    ('schema_version', models.PositiveSmallIntegerField()),
                    ('state', models.CharField(choices=[('submitted', 'waiting for a decision'), ('accepted', 'accepted'), ('rejected', 'rejected'), ('withdrawn', 'withdrawn')], default='submitted', max_length=20)),
                    ('problem', models.TextField(blank=True)),
                    ('other_copy', models.JSONField(blank=True, null=True)),
                    ('copy_chosen', models.BooleanField(db_default=False, default=False)),
                    ('opened_at', models.DateTimeField()),
                    ('submitted_at', models.DateTimeField()),
                    ('active_seconds', models.PositiveIntegerField(default=0)),
                    ('moves', models.PositiveIntegerField(default=0)),
                    ('comment', models.TextField(blank=True)),
                    ('guidelines', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='annotation.guidelines')),
                ],
                options={
                    'indexes': [models.Index(fields=['item', 'role', 'state'], name='annotation__item_id_389269_idx')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['submitted', 'accepted'])), fields=('item', 'worker', 'role'), name='one_live_submission'), models.UniqueConstraint(condition=models.Q(('author__isnull', False), ('state__in', ['submitted', 'accepted'])), fields=('item', 'author', 'role'), name='one_live_submission_per_author'), models.UniqueConstraint(fields=('assignment', 'item'), name='submission_once_per_assignment'), models.CheckConstraint(condition=models.Q(models.Q(('assignment__isnull', False), ('author', None), ('worker__isnull', False)), models.Q(('assignment', None), ('author__isnull', False), ('worker', None)), _connector='OR'), name='submission_by_worker_or_expert')],
                },
            ),
            migrations.CreateModel(
                name='Compensation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='compensations', to='annotation.project')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='compensations', to='crowd.worker')),
                    ('hit', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='compensation', to='crowd.hit')),
                    ('public_id', models.UUIDField(unique=True)),
                    ('reason', models.CharField(max_length=1000)),
                    ('key', models.CharField(max_length=120)),
                    ('offered_by', models.CharField(max_length=150)),
                    ('offered_at', models.DateTimeField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('project', 'worker', 'key'), name='compensation_once_per_key')],
                },
            ),
            migrations.CreateModel(
                name='CorpusImport',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imports', to='annotation.project')),
                    ('state', models.CharField(choices=[('uploaded', 'to be looked at'), ('queued', 'waiting for a worker process'), ('running', 'being read'), ('finished', 'finished'), ('failed', 'failed')], default='queued', max_length=20)),
                    ('fmt', models.CharField(max_length=30)),
                    ('domain', models.CharField(blank=True, max_length=60)),
                    ('partition', models.CharField(blank=True, choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=10)),
                    ('strict', models.BooleanField(default=False)),
                    ('files', models.JSONField()),
                    ('items_file', models.JSONField(blank=True, null=True)),
                    ('asked_by', models.CharField(max_length=150)),
                    ('asked_at', models.DateTimeField()),
                    ('started_at', models.DateTimeField(blank=True, null=True)),
                    ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ('leased_until', models.DateTimeField(blank=True, null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('sentences_read', models.PositiveIntegerField(default=0)),
                    ('items_read', models.PositiveIntegerField(default=0)),
                    ('sentences_added', models.PositiveIntegerField(default=0)),
                    ('sentences_known', models.PositiveIntegerField(default=0)),
                    ('items_added', models.PositiveIntegerField(default=0)),
                    ('items_known', models.PositiveIntegerField(default=0)),
                    ('error_count', models.PositiveIntegerField(default=0)),
                    ('errors', models.JSONField(default=list)),
                    ('problem', models.TextField(blank=True)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state__in', ['queued', 'running'])), fields=['id'], name='import_to_run')],
                },
            ),
            migrations.CreateModel(
                name='ApiToken',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
                    ('name', models.CharField(max_length=60)),
                    ('digest', models.CharField(max_length=64, unique=True)),
                    ('beginning', models.CharField(max_length=12)),
                    ('scopes', models.JSONField()),
                    ('all_projects', models.BooleanField(default=True)),
                    ('created_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField(blank=True, null=True)),
                    ('last_used_at', models.DateTimeField(blank=True, null=True)),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('projects', models.ManyToManyField(blank=True, related_name='api_tokens', to='annotation.project')),
                ],
            ),
        ]),
    ]

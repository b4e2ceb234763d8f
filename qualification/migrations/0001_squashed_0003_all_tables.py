"""Every table of this app at once, for a new database; an old one goes on with what it replaces."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from audit.create_tables import CreateTables


class Migration(migrations.Migration):

    replaces = [
        ('qualification', '0001_initial'),
        ('qualification', '0002_rounds_in_use'),
        ('qualification', '0003_pool'),
    ]

    initial = True

    dependencies = [
        ('consolidation', '0001_squashed_0010_all_tables'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Round',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='annotation.project')),
                    ('role', models.CharField(choices=[('generator', 'generator'), ('consolidator', 'consolidator'), ('validator', 'validator'), ('expert', 'expert')], default='generator', max_length=20)),
                    ('ordinal', models.PositiveSmallIntegerField()),
                    ('kind', models.CharField(choices=[('screening', 'screening'), ('training', 'training')], max_length=20)),
                    ('title', models.CharField(max_length=120)),
                    ('entry', models.CharField(choices=[('open', "whoever meets the marketplace's qualifications"), ('invited', 'whoever is invited'), ('passed', 'whoever passed the round before, or is invited')], default='invited', max_length=20)),
                    ('thresholds', models.JSONField(blank=True, default=dict)),
                    ('pool_roles', models.JSONField(blank=True, default=list)),
                    ('requirements', models.JSONField(blank=True, default=list)),
                    ('items_per_worker', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('terms', models.JSONField(blank=True, null=True)),
                    ('guidelines', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='annotation.guidelines')),
                    ('items', models.ManyToManyField(related_name='rounds', through='qualification.RoundItem', to='annotation.item')),
                ],
                options={
                    'ordering': ['ordinal'],
                    'constraints': [models.UniqueConstraint(fields=('project', 'role', 'ordinal'), name='round_order')],
                },
            ),
            migrations.CreateModel(
                name='RoundItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='round_items', to='qualification.round')),
                    ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='round_items', to='annotation.item')),
                    ('reference', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='round_items', to='consolidation.gold')),
                    ('given', models.JSONField(blank=True, db_default=[], default=list)),
                    ('ordinal', models.PositiveSmallIntegerField()),
                ],
                options={
                    'ordering': ['ordinal'],
                    'constraints': [models.UniqueConstraint(fields=('round', 'item'), name='round_item_once'), models.UniqueConstraint(fields=('round', 'ordinal'), name='round_item_order')],
                },
            ),
            migrations.CreateModel(
                name='Intake',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='intakes', to='qualification.round')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('batch', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='intake', to='annotation.batch')),
                    ('seats', models.PositiveSmallIntegerField()),
                    ('published_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ['number'],
                    'constraints': [models.UniqueConstraint(fields=('round', 'number'), name='intake_number_once')],
                },
            ),
            migrations.CreateModel(
                name='Enrolment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='enrolments', to='qualification.round')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='enrolments', to='crowd.worker')),
                    ('state', models.CharField(choices=[('invited', 'invited'), ('working', 'working'), ('finished', 'finished, to be judged'), ('passed', 'passed'), ('repeating', 'to repeat the round'), ('declined', 'declined'), ('withdrawn', 'withdrawn')], default='invited', max_length=20)),
                    ('enrolled_at', models.DateTimeField()),
                    ('intake', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='enrolments', to='qualification.intake')),
                    ('hand', models.PositiveSmallIntegerField(blank=True, null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('round', 'worker'), name='enrolment_once')],
                },
            ),
            migrations.CreateModel(
                name='Evaluation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('enrolment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='evaluations', to='qualification.enrolment')),
                    ('rule', models.CharField(max_length=60)),
                    ('cause', models.CharField(choices=[('finished', 'the last item came in'), ('reference', "the expert's reference was corrected"), ('asked', 'the trainer asked')], default='finished', max_length=20)),
                    ('so_far', models.BooleanField(db_default=False, default=False)),
                    ('figures', models.JSONField()),
                    ('corrected_figures', models.JSONField(blank=True, null=True)),
                    ('alignment', models.JSONField(blank=True, default=list)),
                    ('computed_from', models.JSONField()),
                    ('computed_at', models.DateTimeField()),
                ],
                options={
                    'get_latest_by': 'computed_at',
                },
            ),
            migrations.CreateModel(
                name='Feedback',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('trainer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('text', models.TextField(blank=True)),
                    ('notes', models.JSONField(blank=True, default=dict)),
                    ('trainer_seconds', models.PositiveIntegerField(default=0)),
                    ('written_at', models.DateTimeField()),
                    ('sent_at', models.DateTimeField(blank=True, null=True)),
                    ('message', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)s', to='crowd.message')),
                    ('acknowledged_at', models.DateTimeField(blank=True, null=True)),
                    ('question', models.TextField(blank=True)),
                    ('asked_at', models.DateTimeField(blank=True, null=True)),
                    ('evaluation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='feedback', to='qualification.evaluation')),
                ],
                options={
                    'verbose_name_plural': 'feedback',
                    'abstract': False,
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('message', None), ('sent_at', None)), models.Q(('message__isnull', False), ('sent_at__isnull', False)), _connector='OR'), name='feedback_sent_as_a_message')],
                },
            ),
            migrations.CreateModel(
                name='PoolFeedback',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('trainer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('text', models.TextField(blank=True)),
                    ('notes', models.JSONField(blank=True, default=dict)),
                    ('trainer_seconds', models.PositiveIntegerField(default=0)),
                    ('written_at', models.DateTimeField()),
                    ('sent_at', models.DateTimeField(blank=True, null=True)),
                    ('message', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)s', to='crowd.message')),
                    ('acknowledged_at', models.DateTimeField(blank=True, null=True)),
                    ('question', models.TextField(blank=True)),
                    ('asked_at', models.DateTimeField(blank=True, null=True)),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pool_feedback', to='annotation.project')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pool_feedback', to='crowd.worker')),
                    ('alignment', models.JSONField(default=list)),
                ],
                options={
                    'verbose_name_plural': 'pool feedback',
                    'abstract': False,
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('message', None), ('sent_at', None)), models.Q(('message__isnull', False), ('sent_at__isnull', False)), _connector='OR'), name='poolfeedback_sent_as_a_message'), models.UniqueConstraint(condition=models.Q(('sent_at', None)), fields=('project', 'worker'), name='one_draft_of_pool_feedback')],
                },
            ),
            migrations.CreateModel(
                name='Outcome',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('submission', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='outcome', to='annotation.submission')),
                    ('gold', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='outcomes', to='consolidation.gold')),
                    ('rule', models.CharField(max_length=60)),
                    ('counts', models.JSONField()),
                    ('compared_at', models.DateTimeField()),
                ],
            ),
            migrations.CreateModel(
                name='Alert',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='alerts', to='annotation.project')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='alerts', to='crowd.worker')),
                    ('kind', models.CharField(choices=[('coverage', 'asks too little'), ('drift', 'agreement falls')], max_length=20)),
                    ('reason', models.TextField()),
                    ('items', models.PositiveIntegerField()),
                    ('raised_at', models.DateTimeField()),
                    ('acknowledged_at', models.DateTimeField(blank=True, null=True)),
                    ('acknowledged_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('note', models.TextField(blank=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(condition=models.Q(('acknowledged_at', None)), fields=('project', 'worker', 'kind'), name='one_open_alert_of_a_kind'), models.CheckConstraint(condition=models.Q(models.Q(('acknowledged_at', None), ('acknowledged_by', None)), models.Q(('acknowledged_at__isnull', False), ('acknowledged_by__isnull', False)), _connector='OR'), name='alert_acknowledged_by_somebody')],
                },
            ),
            migrations.CreateModel(
                name='ProductionGroup',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('project', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='groups', to='annotation.project')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('made_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ['number'],
                    'constraints': [models.UniqueConstraint(fields=('project', 'number'), name='group_number_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='group_from_one')],
                },
            ),
        ]),
    ]

"""Every table of this app at once, for a new database; an old one goes on with what it replaces."""

import crowd.models
import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models

from audit.append_only import append_only
from audit.create_tables import CreateTables


class Migration(migrations.Migration):

    replaces = [
        ('crowd', '0001_initial'),
        ('crowd', '0002_ledger_append_only'),
        ('crowd', '0003_steering_people_and_recovery'),
        ('crowd', '0004_refused_grants_and_topics'),
        ('crowd', '0005_work_under_way_indexes'),
        ('crowd', '0006_publishing_hold'),
        ('crowd', '0007_mail'),
    ]

    initial = True

    dependencies = []

    operations = [
        CreateTables([
            migrations.CreateModel(
                name='Budget',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=120, unique=True)),
                    ('cap_cents', models.BigIntegerField(blank=True, null=True)),
                    ('reserved_cents', models.BigIntegerField(default=0)),
                    ('spent_cents', models.BigIntegerField(default=0)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('reserved_cents__gte', 0)), name='budget_reserved_not_negative'), models.CheckConstraint(condition=models.Q(('spent_cents__gte', 0)), name='budget_spent_not_negative'), models.CheckConstraint(condition=models.Q(('cap_cents', None), ('cap_cents__gte', django.db.models.expressions.CombinedExpression(models.F('reserved_cents'), '+', models.F('spent_cents'))), _connector='OR'), name='budget_within_cap')],
                },
            ),
            migrations.CreateModel(
                name='Worker',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('provider', models.CharField(choices=[('mturk', 'MTurk-compatible')], max_length=20)),
                    ('external_id', models.CharField(max_length=64)),
                    ('pseudonym', models.CharField(default=crowd.models.new_pseudonym, max_length=20, unique=True)),
                    ('first_seen_at', models.DateTimeField()),
                    ('is_simulated', models.BooleanField(default=False)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('provider', 'external_id'), name='worker_once_per_provider')],
                },
            ),
            migrations.CreateModel(
                name='QualificationType',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('provider', models.CharField(choices=[('mturk', 'MTurk-compatible')], max_length=20)),
                    ('code', models.CharField(max_length=80)),
                    ('name', models.CharField(max_length=200)),
                    ('description', models.TextField()),
                    ('external_id', models.CharField(blank=True, max_length=64)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('provider', 'code'), name='qualification_code_once')],
                },
            ),
            migrations.CreateModel(
                name='QualificationGrant',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('qualification_type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='grants', to='crowd.qualificationtype')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='grants', to='crowd.worker')),
                    ('value', models.PositiveIntegerField(default=1)),
                    ('state', models.CharField(choices=[('pending', 'to be granted'), ('held', 'held'), ('revoking', 'to be revoked'), ('revoked', 'revoked'), ('failed', 'refused by the marketplace')], default='pending', max_length=20)),
                    ('changed_at', models.DateTimeField()),
                    ('leased_until', models.DateTimeField(blank=True, null=True)),
                    ('error', models.TextField(blank=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('qualification_type', 'worker'), name='grant_once_per_worker')],
                },
            ),
            migrations.CreateModel(
                name='HitType',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('provider', models.CharField(choices=[('mturk', 'MTurk-compatible')], max_length=20)),
                    ('fingerprint', models.CharField(max_length=64)),
                    ('title', models.CharField(max_length=128)),
                    ('description', models.CharField(max_length=2000)),
                    ('keywords', models.CharField(blank=True, max_length=1000)),
                    ('reward_cents', models.PositiveIntegerField()),
                    ('assignment_seconds', models.PositiveIntegerField()),
                    ('auto_approval_seconds', models.PositiveIntegerField()),
                    ('qualifications', models.JSONField(default=list)),
                    ('external_id', models.CharField(blank=True, max_length=64)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('provider', 'fingerprint'), name='hit_type_once')],
                },
            ),
            migrations.CreateModel(
                name='Hit',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('hit_type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='crowd.hittype')),
                    ('budget', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='crowd.budget')),
                    ('sub_budget', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='sub_hits', to='crowd.budget')),
                    ('token', models.CharField(max_length=64, unique=True)),
                    ('url', models.CharField(max_length=500)),
                    ('max_assignments', models.PositiveSmallIntegerField(default=1)),
                    ('lifetime_seconds', models.PositiveIntegerField()),
                    ('bonus_allowance_cents', models.PositiveIntegerField(default=0)),
                    ('offer_round', models.PositiveSmallIntegerField(default=0)),
                    ('state', models.CharField(choices=[('pending', 'to be created'), ('live', 'live'), ('finished', 'finished'), ('expired', 'expired'), ('failed', 'refused by the marketplace'), ('withdrawn', 'withdrawn before it was created')], default='pending', max_length=20)),
                    ('paused_at', models.DateTimeField(blank=True, null=True)),
                    ('ends_at', models.DateTimeField(blank=True, null=True)),
                    ('expiration_wanted', models.DateTimeField(blank=True, null=True)),
                    ('increase_to', models.PositiveSmallIntegerField(blank=True, null=True)),
                    ('external_id', models.CharField(blank=True, max_length=64, null=True, unique=True)),
                    ('prepared_at', models.DateTimeField()),
                    ('attempted_at', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField(blank=True, null=True)),
                    ('sync_due_at', models.DateTimeField(blank=True, null=True)),
                    ('claimed_assignments', models.PositiveIntegerField(default=0)),
                    ('claimed_at', models.DateTimeField(blank=True, null=True)),
                    ('leased_until', models.DateTimeField(blank=True, null=True)),
                    ('error', models.TextField(blank=True)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state', 'pending')), fields=['id'], name='hit_to_create'), models.Index(condition=models.Q(('sync_due_at', None), _negated=True), fields=['sync_due_at'], name='hit_to_sync'), models.Index(condition=models.Q(('expiration_wanted', None), _negated=True), fields=['id'], name='hit_to_move_end'), models.Index(condition=models.Q(('increase_to', None), _negated=True), fields=['id'], name='hit_to_increase'), models.Index(fields=['budget', 'state'], name='crowd_hit_budget__4344f7_idx'), models.Index(condition=models.Q(('state', 'failed'), models.Q(('error', ''), _negated=True), _connector='OR'), fields=['id'], name='hit_in_trouble')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'failed', 'withdrawn']), models.Q(('external_id', None), _negated=True), _connector='OR'), name='hit_known_to_the_marketplace')],
                },
            ),
            migrations.CreateModel(
                name='Assignment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('hit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='crowd.hit')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='crowd.worker')),
                    ('external_id', models.CharField(max_length=64)),
                    ('state', models.CharField(choices=[('submitted', 'submitted'), ('approved', 'approved'), ('rejecting', 'rejection on its way'), ('rejected', 'rejected')], default='submitted', max_length=20)),
                    ('answer', models.JSONField(default=dict)),
                    ('accepted_at', models.DateTimeField()),
                    ('submitted_at', models.DateTimeField()),
                    ('decided_at', models.DateTimeField(blank=True, null=True)),
                    ('decision_reason', models.TextField(blank=True)),
                    ('refused_at', models.DateTimeField(blank=True, null=True)),
                    ('error', models.TextField(blank=True)),
                    ('recorded_at', models.DateTimeField(blank=True, null=True)),
                    ('leased_until', models.DateTimeField(blank=True, null=True)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('recorded_at', None)), fields=['id'], name='assignment_to_record'), models.Index(condition=models.Q(('state', 'rejecting')), fields=['id'], name='assignment_to_reject')],
                    'constraints': [models.UniqueConstraint(fields=('external_id', 'worker'), name='assignment_once'), models.CheckConstraint(condition=models.Q(('state__in', ['submitted', 'rejecting']), models.Q(('decided_at', None), _negated=True), _connector='OR'), name='assignment_decided_with_its_time')],
                },
            ),
            migrations.CreateModel(
                name='Payment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='crowd.assignment')),
                    ('kind', models.CharField(choices=[('reward', 'reward'), ('bonus', 'bonus')], max_length=20)),
                    ('amount_cents', models.PositiveIntegerField()),
                    ('fee_cents', models.PositiveIntegerField()),
                    ('token', models.CharField(max_length=64, unique=True)),
                    ('reason', models.CharField(max_length=2000)),
                    ('state', models.CharField(choices=[('held', 'waits for budget'), ('pending', 'to be sent'), ('sent', 'sent, answer unknown'), ('confirmed', 'confirmed'), ('failed', 'refused by the marketplace')], default='pending', max_length=20)),
                    ('intended_at', models.DateTimeField()),
                    ('attempted_at', models.DateTimeField(blank=True, null=True)),
                    ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                    ('leased_until', models.DateTimeField(blank=True, null=True)),
                    ('error', models.TextField(blank=True)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state__in', ['pending', 'sent'])), fields=['id'], name='payment_to_send'), models.Index(condition=models.Q(('state', 'confirmed'), _negated=True), fields=['id'], name='payment_not_confirmed'), models.Index(condition=models.Q(('state__in', ['held', 'failed']), models.Q(('error', ''), _negated=True), _connector='OR'), fields=['id'], name='payment_in_trouble')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('kind', 'reward')), fields=('assignment',), name='reward_once_per_assignment'), models.CheckConstraint(condition=models.Q(models.Q(('confirmed_at__isnull', False), ('state', 'confirmed')), models.Q(models.Q(('state', 'confirmed'), _negated=True), ('confirmed_at', None)), _connector='OR'), name='payment_confirmed_with_its_time')],
                },
            ),
            migrations.CreateModel(
                name='LedgerEntry',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('budget', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='crowd.budget')),
                    ('kind', models.CharField(choices=[('reserve', 'reserved'), ('release', 'released'), ('settle', 'settled')], max_length=20)),
                    ('amount_cents', models.BigIntegerField()),
                    ('fee_cents', models.BigIntegerField()),
                    ('key', models.CharField(max_length=120, unique=True)),
                    ('hit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ledger_entries', to='crowd.hit')),
                    ('payment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='ledger_entries', to='crowd.payment')),
                    ('at', models.DateTimeField()),
                ],
                options={
                    'verbose_name_plural': 'ledger entries',
                    'constraints': [models.CheckConstraint(condition=models.Q(('amount_cents__gte', 0), ('fee_cents__gte', 0)), name='ledger_not_negative'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'settle'), _negated=True), models.Q(('payment', None), _negated=True), _connector='OR'), name='ledger_settles_a_payment')],
                },
            ),
            migrations.CreateModel(
                name='Message',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='messages', to='crowd.worker')),
                    ('subject', models.CharField(max_length=200)),
                    ('text', models.CharField(max_length=4096)),
                    ('state', models.CharField(choices=[('pending', 'to be sent'), ('sent', 'sent'), ('failed', 'not delivered')], default='pending', max_length=20)),
                    ('written_at', models.DateTimeField()),
                    ('sent_at', models.DateTimeField(blank=True, null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('retry_at', models.DateTimeField(blank=True, null=True)),
                    ('leased_until', models.DateTimeField(blank=True, null=True)),
                    ('error', models.TextField(blank=True)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('state', 'pending')), fields=['id'], name='message_to_send')],
                },
            ),
            migrations.CreateModel(
                name='MailAddress',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('worker', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='mail_address', to='crowd.worker')),
                    ('address', models.EmailField(max_length=254)),
                    ('given_at', models.DateTimeField()),
                ],
                options={
                    'verbose_name_plural': 'mail addresses',
                },
            ),
            migrations.CreateModel(
                name='Mail',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('message', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='mail', to='crowd.message')),
                    ('address', models.EmailField(blank=True, max_length=254)),
                    ('state', models.CharField(choices=[('pending', 'to be sent'), ('sending', 'being sent'), ('sent', 'sent'), ('failed', 'not delivered'), ('doubt', 'perhaps sent'), ('dropped', 'not wanted any more')], default='pending', max_length=20)),
                    ('sent_at', models.DateTimeField(blank=True, null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('retry_at', models.DateTimeField(blank=True, null=True)),
                    ('leased_until', models.DateTimeField(blank=True, null=True)),
                    ('error', models.TextField(blank=True)),
                ],
                options={
                    'verbose_name_plural': 'mail',
                    'indexes': [models.Index(condition=models.Q(('state__in', ['pending', 'sending'])), fields=['id'], name='mail_to_send')],
                },
            ),
            migrations.CreateModel(
                name='Block',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('worker', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='block', to='crowd.worker')),
                    ('reason', models.CharField(max_length=1000)),
                    ('state', models.CharField(choices=[('pending', 'to be blocked'), ('blocked', 'blocked'), ('lifting', 'to be lifted'), ('lifted', 'lifted')], default='pending', max_length=20)),
                    ('changed_at', models.DateTimeField()),
                    ('leased_until', models.DateTimeField(blank=True, null=True)),
                    ('error', models.TextField(blank=True)),
                ],
            ),
            migrations.CreateModel(
                name='NotificationReceipt',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('doc_id', models.CharField(max_length=120, unique=True)),
                    ('received_at', models.DateTimeField(db_index=True)),
                ],
            ),
            migrations.CreateModel(
                name='TopicSubscription',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('topic', models.CharField(max_length=300, unique=True)),
                    ('confirm_url', models.CharField(max_length=2000)),
                    ('asked_at', models.DateTimeField()),
                    ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ],
            ),
            migrations.CreateModel(
                name='FoundHit',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('provider', models.CharField(choices=[('mturk', 'MTurk-compatible')], max_length=20)),
                    ('external_id', models.CharField(max_length=64)),
                    ('annotation', models.CharField(blank=True, max_length=255)),
                    ('hit_type_id_there', models.CharField(max_length=64)),
                    ('title', models.CharField(max_length=128)),
                    ('description', models.CharField(max_length=2000)),
                    ('keywords', models.CharField(blank=True, max_length=1000)),
                    ('reward_cents', models.PositiveIntegerField()),
                    ('assignment_seconds', models.PositiveIntegerField()),
                    ('auto_approval_seconds', models.PositiveIntegerField()),
                    ('max_assignments', models.PositiveIntegerField()),
                    ('undecided_assignments', models.PositiveIntegerField(default=0)),
                    ('created_at', models.DateTimeField()),
                    ('expires_at', models.DateTimeField()),
                    ('found_at', models.DateTimeField()),
                    ('hit', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='found', to='crowd.hit')),
                ],
                options={
                    'indexes': [models.Index(fields=['annotation'], name='crowd_found_annotat_4fbe7e_idx')],
                    'constraints': [models.UniqueConstraint(fields=('provider', 'external_id'), name='found_hit_once')],
                },
            ),
            migrations.CreateModel(
                name='PublishingHold',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.CharField(max_length=500)),
                    ('since', models.DateTimeField()),
                    ('lifted_at', models.DateTimeField(blank=True, null=True)),
                    ('lifted_by', models.CharField(blank=True, max_length=150)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(models.Value(1), condition=models.Q(('lifted_at', None)), name='one_standing_hold'), models.CheckConstraint(condition=models.Q(models.Q(('lifted_at', None), ('lifted_by', '')), models.Q(('lifted_at__isnull', False), models.Q(('lifted_by', ''), _negated=True)), _connector='OR'), name='hold_lifted_by_somebody')],
                },
            ),
        ]),
        append_only('crowd_ledgerentry'),
    ]

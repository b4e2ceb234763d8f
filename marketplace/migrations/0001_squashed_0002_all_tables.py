"""Every table of this app at once, for a new database; an old one goes on with what it replaces."""

import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
from django.db import migrations, models

from marketplace.append_only import books_are_append_only


class Migration(migrations.Migration):

    replaces = [
        ('marketplace', '0001_initial'),
        ('marketplace', '0002_books_are_append_only'),
    ]

    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name='Requester',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=32, unique=True)),
                ('name', models.CharField(max_length=100, unique=True)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('active', models.BooleanField(default=True)),
                ('balance_cents', models.BigIntegerField(default=0)),
                ('held_cents', models.BigIntegerField(default=0)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'permissions': [('operate_marketplace', 'Can run the marketplace')],
                'constraints': [models.CheckConstraint(condition=models.Q(('held_cents__gte', 0)), name='market_held_not_negative'), models.CheckConstraint(condition=models.Q(('balance_cents__gte', models.F('held_cents'))), name='market_balance_covers_held')],
            },
        ),
        migrations.CreateModel(
            name='AccessKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='access_keys', to='marketplace.requester')),
                ('access_key_id', models.CharField(max_length=64, unique=True)),
                ('secret_encrypted', models.CharField(max_length=400)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='WorkerAccount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('code', models.CharField(max_length=32, unique=True, verbose_name='worker id')),
                ('username', models.CharField(max_length=60, unique=True)),
                ('email', models.EmailField(max_length=254)),
                ('country', models.CharField(max_length=2)),
                ('subdivision', models.CharField(blank=True, max_length=2)),
                ('is_adult', models.BooleanField(default=False)),
                ('active', models.BooleanField(default=True)),
                ('accepts_next', models.BooleanField(default=True, verbose_name='accept the next HIT by itself')),
                ('approved_count', models.PositiveIntegerField(default=0)),
                ('rejected_count', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='WorkerSession',
            fields=[
                ('digest', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to='marketplace.workeraccount')),
                ('expires_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='LoginFailure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('username', models.CharField(max_length=60)),
                ('address', models.CharField(max_length=45)),
                ('at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(fields=['username', 'address', 'at'], name='market_login_failure')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=64, unique=True)),
                ('note', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('worker', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to='marketplace.workeraccount')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('worker__isnull', True), ('used_at__isnull', False), _connector='OR'), name='market_invitation_used_by_someone')],
            },
        ),
        migrations.CreateModel(
            name='HitType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=64, unique=True)),
                ('group_code', models.CharField(max_length=64, unique=True)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hit_types', to='marketplace.requester')),
                ('digest', models.CharField(max_length=64)),
                ('title', models.CharField(max_length=128)),
                ('description', models.TextField()),
                ('keywords', models.TextField(blank=True)),
                ('reward_cents', models.PositiveIntegerField()),
                ('duration_seconds', models.PositiveIntegerField()),
                ('auto_approval_seconds', models.PositiveIntegerField()),
                ('requirements', models.JSONField(default=list)),
                ('notification', models.JSONField(blank=True, null=True)),
                ('notification_active', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('requester', 'digest'), name='market_one_type_per_values')],
            },
        ),
        migrations.CreateModel(
            name='HitTypeRequirement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hit_type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requirement_rows', to='marketplace.hittype')),
                ('qualification_code', models.CharField(db_index=True, max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='Hit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=64, unique=True)),
                ('requester', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='hits', to='marketplace.requester')),
                ('hit_type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hits', to='marketplace.hittype')),
                ('question', models.TextField()),
                ('external_url', models.TextField()),
                ('frame_height', models.PositiveIntegerField(default=0)),
                ('annotation', models.CharField(blank=True, max_length=255)),
                ('max_assignments', models.PositiveIntegerField()),
                ('available', models.PositiveIntegerField()),
                ('pending', models.PositiveIntegerField(default=0)),
                ('submitted', models.PositiveIntegerField(default=0)),
                ('completed', models.PositiveIntegerField(default=0)),
                ('open', models.BooleanField(default=True)),
                ('reward_cents', models.PositiveIntegerField()),
                ('fee_cents', models.PositiveIntegerField()),
                ('held_cents', models.PositiveBigIntegerField(default=0)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField()),
                ('expiry_noted', models.BooleanField(default=False)),
                ('reviewing', models.BooleanField(default=False)),
                ('disposed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('open', True)), fields=['hit_type', 'id'], name='market_open_hits'), models.Index(condition=models.Q(('disposed_at__isnull', True), ('expiry_noted', False)), fields=['expires_at'], name='market_hits_to_expire'), models.Index(condition=models.Q(('disposed_at__isnull', True)), fields=['requester', '-id'], name='market_hits_of_requester')],
                'constraints': [models.CheckConstraint(condition=models.Q(('max_assignments', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('available'), '+', models.F('pending')), '+', models.F('submitted')), '+', models.F('completed')))), name='market_hit_counters_add_up'), models.CheckConstraint(condition=models.Q(('open', False), models.Q(('available__gt', 0), ('disposed_at__isnull', True), ('expiry_noted', False)), _connector='OR'), name='market_open_hit_has_room')],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=64, unique=True)),
                ('hit', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='marketplace.hit')),
                ('hit_type', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='marketplace.hittype')),
                ('worker', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='marketplace.workeraccount')),
                ('status', models.CharField(choices=[('Accepted', 'Accepted'), ('Submitted', 'Submitted'), ('Approved', 'Approved'), ('Rejected', 'Rejected'), ('Returned', 'Returned'), ('Abandoned', 'Abandoned')], default='Accepted', max_length=10)),
                ('reward_cents', models.PositiveIntegerField()),
                ('fee_cents', models.PositiveIntegerField()),
                ('accepted_at', models.DateTimeField()),
                ('deadline_at', models.DateTimeField()),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('auto_approve_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('rejected_at', models.DateTimeField(blank=True, null=True)),
                ('answer', models.TextField(blank=True)),
                ('feedback', models.TextField(blank=True)),
            ],
            options={
                'indexes': [models.Index(fields=['hit', 'worker'], name='market_assignment_of_hit'), models.Index(fields=['worker', 'hit_type', '-id'], name='market_assignment_position'), models.Index(condition=models.Q(('status', 'Accepted')), fields=['deadline_at'], name='market_overdue'), models.Index(condition=models.Q(('status', 'Accepted')), fields=['worker'], name='market_in_progress'), models.Index(condition=models.Q(('status', 'Submitted')), fields=['auto_approve_at'], name='market_to_auto_approve')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status__in', ('Accepted', 'Submitted', 'Approved', 'Rejected'))), fields=('hit', 'worker'), name='market_one_live_assignment'), models.CheckConstraint(condition=models.Q(('status__in', ['Accepted', 'Returned', 'Abandoned']), ('submitted_at__isnull', False), _connector='OR'), name='market_decided_only_if_submitted')],
            },
        ),
        migrations.CreateModel(
            name='Appeal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='appeal', to='marketplace.assignment')),
                ('text', models.TextField(max_length=2000)),
                ('status', models.CharField(choices=[('open', 'Open'), ('upheld', 'The rejection stands'), ('overturned', 'The work is paid')], default='open', max_length=10)),
                ('answer', models.TextField(blank=True, max_length=2000)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('status', 'open')), models.Q(models.Q(('status', 'open'), _negated=True), ('decided_at__isnull', False)), _connector='OR'), name='market_appeal_decided_when_closed')],
            },
        ),
        migrations.CreateModel(
            name='Bonus',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=64, unique=True)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bonuses', to='marketplace.requester')),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bonuses', to='marketplace.assignment')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bonuses', to='marketplace.workeraccount')),
                ('amount_cents', models.PositiveIntegerField()),
                ('fee_cents', models.PositiveIntegerField()),
                ('reason', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='RequestToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('requester', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='marketplace.requester')),
                ('operation', models.CharField(max_length=60)),
                ('token', models.CharField(max_length=64)),
                ('result', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(db_index=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('requester', 'operation', 'token'), name='market_token_used_once')],
            },
        ),
        migrations.CreateModel(
            name='BookEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.requester')),
                ('kind', models.CharField(choices=[('deposit', 'Deposit'), ('hold', 'Hold'), ('release', 'Release'), ('reward', 'Reward'), ('reward fee', 'Reward Fee'), ('bonus', 'Bonus'), ('bonus fee', 'Bonus Fee')], max_length=10)),
                ('amount_cents', models.BigIntegerField(default=0)),
                ('held_cents', models.BigIntegerField(default=0)),
                ('worker', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.workeraccount')),
                ('hit', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='marketplace.hit')),
                ('assignment', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.assignment')),
                ('bonus', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='marketplace.bonus')),
                ('note', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('kind__in', ['reward', 'bonus'])), fields=['created_at', 'worker'], name='market_entries_of_workers')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('kind__in', ['reward', 'reward fee'])), fields=('assignment', 'kind'), name='market_reward_paid_once'), models.UniqueConstraint(condition=models.Q(('kind__in', ['bonus', 'bonus fee'])), fields=('bonus', 'kind'), name='market_bonus_paid_once')],
            },
        ),
        migrations.CreateModel(
            name='QualificationType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=64, unique=True)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qualification_types', to='marketplace.requester')),
                ('name', models.CharField(max_length=200)),
                ('description', models.TextField()),
                ('keywords', models.TextField(blank=True)),
                ('status', models.CharField(choices=[('Active', 'Active'), ('Inactive', 'Inactive')], max_length=10)),
                ('retry_delay_seconds', models.PositiveBigIntegerField(blank=True, null=True)),
                ('test', models.TextField(blank=True)),
                ('answer_key', models.TextField(blank=True)),
                ('test_duration_seconds', models.PositiveBigIntegerField(blank=True, null=True)),
                ('auto_granted', models.BooleanField(default=False)),
                ('auto_granted_value', models.IntegerField(default=1)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('deleted_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('deleted_at__isnull', True)), fields=('requester', 'name'), name='market_qualification_name_unique')],
            },
        ),
        migrations.CreateModel(
            name='Grant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('qualification_type', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='marketplace.qualificationtype')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='marketplace.workeraccount')),
                ('value', models.IntegerField(null=True)),
                ('status', models.CharField(choices=[('Granted', 'Granted'), ('Revoked', 'Revoked')], max_length=10)),
                ('granted_at', models.DateTimeField()),
                ('reason', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('qualification_type', 'worker'), name='market_one_grant_per_worker')],
            },
        ),
        migrations.CreateModel(
            name='QualificationRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=64, unique=True)),
                ('qualification_type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requests', to='marketplace.qualificationtype')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requests', to='marketplace.workeraccount')),
                ('answer', models.TextField(blank=True)),
                ('status', models.CharField(choices=[('Pending', 'Pending'), ('Accepted', 'Accepted'), ('Rejected', 'Rejected')], default='Pending', max_length=10)),
                ('submitted_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.TextField(blank=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'Pending')), fields=('qualification_type', 'worker'), name='market_one_open_request')],
            },
        ),
        migrations.CreateModel(
            name='WorkerBlock',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('requester', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='marketplace.requester')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='marketplace.workeraccount')),
                ('reason', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('requester', 'worker'), name='market_blocked_once')],
            },
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='marketplace.workeraccount')),
                ('requester', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='marketplace.requester')),
                ('subject', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('sent_at', models.DateTimeField()),
                ('read_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Notification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('doc_id', models.CharField(max_length=64, unique=True)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='marketplace.requester')),
                ('destination', models.TextField()),
                ('event', models.JSONField()),
                ('created_at', models.DateTimeField()),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('due_at', models.DateTimeField()),
                ('delivered_at', models.DateTimeField(blank=True, null=True)),
                ('last_error', models.CharField(blank=True, max_length=300)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('delivered_at__isnull', True)), fields=['due_at'], name='market_notifications_due')],
            },
        ),
        books_are_append_only(),
    ]

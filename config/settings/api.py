"""The REST API and its description."""

from config.settings.site import SITE_IS_SECURE, env

API_READS_PER_MINUTE = env.API_READS_PER_MINUTE
API_WRITES_PER_MINUTE = env.API_WRITES_PER_MINUTE
API_UPLOAD_MAX_BYTES = env.API_UPLOAD_MAX_MB * 2**20
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "projects.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["projects.api.roles.RulePermission"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["web.parsers.TextJson"],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_THROTTLE_CLASSES": ["web.throttles.Reads", "web.throttles.Writes"],
    "DEFAULT_SCHEMA_CLASS": "web.schema.Schema",
    "EXCEPTION_HANDLER": "drf_standardized_errors.handler.exception_handler",
    # Throttle the address that the proxy saw, if there is a proxy.
    "NUM_PROXIES": 1 if SITE_IS_SECURE else 0,
    "URL_FORMAT_OVERRIDE": None,
}
_ERROR_STATUSES = [
    str(status) for status in (400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 429, 500, 503)
]
DRF_STANDARDIZED_ERRORS = {
    "EXCEPTION_HANDLER_CLASS": "web.errors.Handler",
    "ALLOWED_ERROR_STATUS_CODES": _ERROR_STATUSES,
    "ERROR_SCHEMAS": dict.fromkeys(_ERROR_STATUSES, "web.errors.ErrorResponseSerializer"),
}
# The groups of operations, in the order of the documentation
_TAGS = {
    "me": "You and your token.",
    "schemes": "The annotation schemes of the site, with their roles, formats and forms of content.",
    "projects": "Projects with their settings, protocol, guidelines, definition and other resources.",
    "members": "The members of a project, and invitations.",
    "corpus": "Sentences, items and their imports.",
    "batches": "Publications of items: their cost, progress, and changes.",
    "submissions": "The work of annotators, and the decisions on it.",
    "held bonuses": "Bonuses that a person decides.",
    "consolidation": "Cases, gold, and imports of annotations.",
    "studies": "Studies and sessions at providers that have some, and the decisions on them.",
    "rounds": "Rounds of screening and training, with their trainees.",
    "qualification": "Evaluations of trainees against gold.",
    "pools": "Trained workers, and their groups.",
    "workers": "Workers by pseudonym: work, notes, messages, compensations and erasure.",
    "money": "Costs, the ledger, and payments that were refused.",
    "figures": "Figures of quality, agreement, progress and cost.",
    "log": "Who changed what.",
    "jobs": "Pending and failed work with the provider.",
    "exports": "Files of gold and of individual annotations.",
    "releases": "Versions of a dataset that never change.",
    "systems": "Scores of systems against gold.",
    "benchmarks": "Benchmarks that are open to every account, and the entries of teams.",
    "webhooks": "Events that are sent to other programs.",
    "site": "Blocked workers and failures of the whole site, for superusers.",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Touchstone",
    "VERSION": "1",
    "DESCRIPTION": "Projects, their work, people and money. "
    "[How to use the API](/help/reference/api.md) describes tokens, lists, actions and errors.",
    "SERVERS": [{"url": "/", "description": "This site."}],
    "TAGS": [{"name": name, "description": text} for name, text in _TAGS.items()],
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_PERMISSIONS": ["projects.api.roles.RulePermission"],
    "SERVE_INCLUDE_SCHEMA": False,
    "SORT_OPERATIONS": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "projects.api.content_schemas.add_content_schemas",
        "web.property_descriptions.describe_properties",
    ],
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "Licence": "releases.domain.licences.LICENCE_CHOICES",
        "Role": "projects.enums.Role",
        "Partition": "annotation.enums.Partition",
        "BatchState": "annotation.enums.BatchState",
        "JobState": "jobs.enums.JobState",
        "SubmissionState": "annotation.enums.SubmissionState",
        "CaseState": "consolidation.enums.CaseState",
        "GoldSource": "consolidation.enums.GoldSource",
        "LedgerKind": "crowd.enums.LedgerKind",
        "EnrolmentState": "qualification.enums.EnrolmentState",
        "RoundKind": "qualification.enums.RoundKind",
        "MemberRole": "projects.enums.MemberRole",
        "PhaseKind": "benchmarks.enums.PhaseKind",
        "EntryState": "benchmarks.enums.EntryState",
    },
}

"""Studies: drafts, validation, transitions, changes after publication, and the live filters."""

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from tests.fakes.prolific import money, webhooks
from tests.fakes.prolific.errors import ApiError, invalid, not_found, refused
from tests.fakes.prolific.routing import Request, Response, page_of, route
from tests.fakes.prolific.state import Person, Platform, Study, Workspace, text_of

REQUIRED = (
    "name",
    "description",
    "prolific_id_option",
    "total_available_places",
    "estimated_completion_time",
    "reward",
    "completion_codes",
    "filters",
)
DEFAULTS: dict[str, Any] = {
    "internal_name": "",
    "device_compatibility": [],
    "peripheral_requirements": [],
    "content_warnings": [],
    "content_warning_details": "",
    "filter_set_id": None,
    "filter_set_version": None,
    "metadata": None,
    "naivety_distribution_rate": None,
    "study_labels": [],
    "external_study_url": None,
    "access_details": None,
    "is_external_study_url_secure": False,
}
OPTIONAL = (*DEFAULTS, "maximum_allowed_time", "submissions_config", "project")
# The values that the official description enumerates, and how many of them a study can have.
CHOICES: dict[str, tuple[set[str], int]] = {
    "device_compatibility": ({"desktop", "tablet", "mobile"}, 3),
    "peripheral_requirements": ({"audio", "camera", "download", "microphone"}, 4),
    "content_warnings": ({"sensitive", "explicit"}, 1),
    "study_labels": (
        {
            *("survey", "writing_task", "annotation", "decision_making_task", "interview", "other"),
            *("ai_annotation", "ai_evaluation", "ai_reasoning", "ai_fact_checking", "ai_safety"),
            *("ai_data_creation_text", "ai_data_creation_audio", "ai_data_creation_video"),
            *("ai_data_creation_images", "ai_other"),
        },
        1,
    ),
}
# The API takes any other text as well. This site only uses the predefined ones.
CODE_TYPES = {
    *("COMPLETED", "FAILED_ATTENTION_CHECK", "FOLLOW_UP_STUDY", "GIVE_BONUS"),
    *("INCOMPATIBLE_DEVICE", "NO_CONSENT", "OTHER"),
    *("FIXED_SCREENOUT", "SCREENED_IN", "SCREENED_OUT"),
}
CODE_FIELDS = {"code", "code_type", "actor", "actions"}
CONFIG_FIELDS = {
    *("max_submissions_per_participant", "max_concurrent_submissions", "auto_rejection_categories"),
}
MIN_SCREEN_OUT = {"GBP": 10, "USD": 14}
AFTER_PUBLICATION = {
    "internal_name",
    "total_available_places",
    "access_details",
    "submissions_config",
}
DAY_MINUTES = 24 * 60
COUNTRIES = {
    "0": "United Kingdom",
    "1": "United States",
    "2": "Ireland",
    "3": "Germany",
    "4": "Canada",
    "5": "Australia",
    "6": "New Zealand",
}
LANGUAGES = {"0": "English", "1": "German"}
FILTERS: list[dict[str, Any]] = [
    {"filter_id": "participant_group_allowlist", "type": "select", "choices": None},
    {"filter_id": "participant_group_blocklist", "type": "select", "choices": None},
    {"filter_id": "custom_allowlist", "type": "select", "choices": None},
    {"filter_id": "custom_blocklist", "type": "select", "choices": None},
    {"filter_id": "approval_rate", "type": "range", "min": 0, "max": 100},
    {"filter_id": "current-country-of-residence", "type": "select", "choices": COUNTRIES},
    {"filter_id": "first-language", "type": "select", "choices": LANGUAGES},
]
ACTIONS = {
    "AUTOMATICALLY_APPROVE": (),
    "MANUALLY_REVIEW": (),
    "ADD_TO_PARTICIPANT_GROUP": ("participant_group",),
    "REMOVE_FROM_PARTICIPANT_GROUP": ("participant_group",),
    "REQUEST_RETURN": ("return_reason",),
    "FIXED_SCREEN_OUT_PAYMENT": ("fixed_screen_out_reward", "slots"),
    "DYNAMIC_PAYMENT": (),
}
TOGETHER_REFUSED = {"AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW"}
SCREEN_OUT = "FIXED_SCREEN_OUT_PAYMENT"
OF_SOME_WORKSPACES = {"FIXED_SCREEN_OUT_PAYMENT", "DYNAMIC_PAYMENT"}
# The statuses from which each action starts.
TRANSITIONS = {
    "PUBLISH": {"UNPUBLISHED"},
    "SCHEDULE_PUBLISH": {"UNPUBLISHED"},
    "CANCEL_PUBLISH": {"SCHEDULED"},
    "PAUSE": {"ACTIVE"},
    "START": {"PAUSED"},
    "STOP": {"ACTIVE", "PAUSED"},
}
# Parameters of the list that select a status.
SWITCHES = (
    ("published", "0", "UNPUBLISHED"),
    ("active", "1", "ACTIVE"),
    ("completed", "1", "COMPLETED"),
)


# Validation


def min_time(minutes: int) -> int:
    """Return the least maximum time for an estimated time."""
    return math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes))


def check_fields(platform: Platform, workspace: Workspace, fields: dict[str, Any]) -> None:
    """Raise an error with messages by field."""
    missing = [name for name in REQUIRED if fields.get(name) in (None, "")]
    if not fields.get("external_study_url") and not fields.get("access_details"):
        missing.append("external_study_url")
    if missing:
        raise invalid(**dict.fromkeys(missing, "This field is required."))
    for name in ("total_available_places", "estimated_completion_time", "reward"):
        _check_number(fields, name)
    if fields["prolific_id_option"] not in ("url_parameters", "question", "not_required"):
        raise invalid(prolific_id_option="Not a valid choice.")
    _check_reward(workspace, fields)
    _check_times(fields)
    _check_access(fields)
    _check_codes(platform, workspace, fields)
    _check_choices(fields)
    _check_filters(platform, fields["filters"])
    _check_config(workspace, fields)


def _check_choices(fields: dict[str, Any]) -> None:
    for name, (choices, most) in CHOICES.items():
        values = fields[name]
        if not isinstance(values, list) or not set(values) <= choices or len(values) > most:
            raise invalid(**{name: f"Enter at most {most} of {', '.join(sorted(choices))}."})
    if fields["filter_set_id"] and fields["filters"]:
        raise invalid(filter_set_id="A filter set can't be combined with filters.")


def _check_number(fields: dict[str, Any], name: str, *, least: int = 1) -> None:
    number = fields[name]
    if not isinstance(number, int) or isinstance(number, bool) or number < least:
        raise invalid(**{name: f"Ensure this value is a whole number of at least {least}."})


def _check_reward(workspace: Workspace, fields: dict[str, Any]) -> None:
    least, _ = money.HOURLY[workspace.currency]
    if fields["reward"] * 60 < least * fields["estimated_completion_time"]:
        hourly = f"{least / 100:.2f} {workspace.currency}"
        raise invalid(reward=f"The reward must be at least {hourly} per hour.")


def _check_times(fields: dict[str, Any]) -> None:
    least = min_time(fields["estimated_completion_time"])
    _check_number(fields, "maximum_allowed_time")
    if not least <= fields["maximum_allowed_time"] < DAY_MINUTES:
        raise invalid(
            maximum_allowed_time=f"Enter at least {least} and less than {DAY_MINUTES} minutes."
        )


def _check_access(fields: dict[str, Any]) -> None:
    details = fields["access_details"]
    if not details:
        return
    if fields["external_study_url"]:
        raise invalid(access_details="Use either external_study_url or access_details.")
    if not all(
        detail.get("external_url") and isinstance(detail.get("total_allocation"), int)
        for detail in details
    ):
        raise invalid(access_details="Each entry needs external_url and total_allocation.")
    if sum(detail["total_allocation"] for detail in details) != fields["total_available_places"]:
        raise invalid(access_details="The allocations must sum to total_available_places.")


def _check_codes(platform: Platform, workspace: Workspace, fields: dict[str, Any]) -> None:
    codes = fields["completion_codes"]
    if not isinstance(codes, list) or not codes:
        raise invalid(completion_codes="At least one completion code is required.")
    texts = [code.get("code") for code in codes]
    if not all(texts) or len(set(texts)) < len(texts):
        raise invalid(completion_codes="Codes must be present and different.")
    for code in codes:
        if code.get("actor", "participant") not in ("participant", "researcher"):
            raise invalid(completion_codes="The actor is participant or researcher.")
        if unknown := set(code) - CODE_FIELDS:
            raise invalid(completion_codes=f"Unknown field {', '.join(unknown)}.")
        if code.get("code_type") not in CODE_TYPES or not isinstance(code.get("actions"), list):
            raise invalid(completion_codes="Each code needs a code_type and actions.")
        for action in code["actions"]:
            _check_action(platform, workspace, action)
        kinds = {action["action"] for action in code["actions"]}
        if kinds >= TOGETHER_REFUSED:
            raise invalid(completion_codes="These actions can't be used together.")
        if "DYNAMIC_PAYMENT" in kinds and code.get("actor") != "researcher":
            raise invalid(completion_codes="The actor of DYNAMIC_PAYMENT is researcher.")
    _check_screen_out(workspace, fields)


def _check_screen_out(workspace: Workspace, fields: dict[str, Any]) -> None:
    rewards = [
        action["fixed_screen_out_reward"]
        for code in fields["completion_codes"]
        for action in code["actions"]
        if action["action"] == SCREEN_OUT
    ]
    if len(rewards) > 1:
        raise invalid(completion_codes="A study can have one code with a screen-out payment.")
    least = MIN_SCREEN_OUT[workspace.currency]
    if rewards and not least <= rewards[0] < fields["reward"]:
        raise invalid(
            completion_codes=f"The screen-out reward is at least {least} and below the reward."
        )


def _check_action(platform: Platform, workspace: Workspace, action: dict[str, Any]) -> None:
    kind = action.get("action")
    is_allowed = kind in ACTIONS and (kind not in OF_SOME_WORKSPACES or kind in workspace.features)
    if not is_allowed:
        raise invalid(completion_codes=f"The action {kind} is not available.")
    if unknown := set(action) - {"action", *ACTIONS[kind]}:
        raise invalid(completion_codes=f"Unknown field {', '.join(unknown)}.")
    if missing := [name for name in ACTIONS[kind] if not action.get(name)]:
        raise invalid(completion_codes=f"The action {kind} needs {', '.join(missing)}.")
    if "participant_group" in action:
        platform.group(action["participant_group"])


def _check_filters(platform: Platform, filters: Any) -> None:
    kinds = {row["filter_id"]: row for row in FILTERS}
    if not isinstance(filters, list):
        raise invalid(filters="Expected a list.")
    for row in filters:
        kind = kinds.get(row.get("filter_id"))
        if kind is None:
            raise invalid(filters=f"Unknown filter {row.get('filter_id')}.")
        values = row.get("selected_range" if kind["type"] == "range" else "selected_values")
        if not values:
            raise invalid(filters=f"The filter {row['filter_id']} has no values.")
        if kind.get("choices") and not set(values) <= set(kind["choices"]):
            raise invalid(filters=f"The filter {row['filter_id']} takes the ids of its choices.")
        if row["filter_id"].startswith("participant_group"):
            for value in values:
                platform.group(value)


def _check_config(workspace: Workspace, fields: dict[str, Any]) -> None:
    config = fields["submissions_config"]
    if unknown := set(config) - CONFIG_FIELDS:
        raise invalid(submissions_config=f"Unknown field {', '.join(unknown)}.")
    categories = config.get("auto_rejection_categories", [])
    if categories and (
        categories != ["EXCEPTIONALLY_FAST"] or "AUTO_REJECTION" not in workspace.features
    ):
        raise invalid(submissions_config="Automatic rejections are not available.")
    most = config.get("max_submissions_per_participant", 1)
    if not isinstance(most, int) or (most < 1 and most != -1):
        raise invalid(submissions_config="max_submissions_per_participant: enter 1 or more, or -1.")


def completed(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a study with their defaults."""
    study = {**DEFAULTS, **{name: value for name, value in fields.items() if name != "project"}}
    config = {"max_submissions_per_participant": 1, **(study.get("submissions_config") or {})}
    study["submissions_config"] = config
    minutes = study.get("estimated_completion_time")
    if study.get("maximum_allowed_time") is None and isinstance(minutes, int) and minutes > 0:
        study["maximum_allowed_time"] = min(min_time(minutes), DAY_MINUTES - 1)
    if isinstance(codes := study.get("completion_codes"), list):
        study["completion_codes"] = [{"actor": "participant", **code} for code in codes]
    return study


# Eligibility


def is_eligible(platform: Platform, study: Study, person: Person) -> bool:
    return all(_matches(platform, row, person) for row in study.fields["filters"])


def _matches(platform: Platform, row: dict[str, Any], person: Person) -> bool:
    values = row.get("selected_values", [])
    matches: dict[str, Callable[[], bool]] = {
        "participant_group_allowlist": lambda: _is_member(platform, values, person),
        "participant_group_blocklist": lambda: not _is_member(platform, values, person),
        "custom_allowlist": lambda: person.id in values,
        "custom_blocklist": lambda: person.id not in values,
        "approval_rate": lambda: _is_within(row.get("selected_range", {}), person.approval_rate),
        "current-country-of-residence": lambda: person.country in values,
        "first-language": lambda: person.language in values,
    }
    return matches[row["filter_id"]]()


def _is_member(platform: Platform, groups: list[str], person: Person) -> bool:
    return any(person.id in platform.groups[group].members for group in groups)


def _is_within(limits: dict[str, int], number: int) -> bool:
    return limits.get("lower", 0) <= number <= limits.get("upper", 100)


# Status


def set_status(platform: Platform, study: Study, status: str) -> None:
    if study.status == status:
        return
    study.status = status
    study.due_at = None
    workspace = platform.workspace_of(study)
    payload = {"resource_id": study.id, "status": status}
    webhooks.emit(platform, workspace, "study.status.change", payload)


def refresh(platform: Platform, study: Study) -> None:
    """Switch between ACTIVE and AWAITING REVIEW as places are taken and reopen."""
    if study.stopped or study.status not in ("ACTIVE", "AWAITING REVIEW"):
        return
    is_full = platform.places_taken(study) >= study.places
    set_status(platform, study, "AWAITING REVIEW" if is_full else "ACTIVE")


def apply_due(platform: Platform) -> None:
    for study in platform.studies.values():
        if study.due_at and study.due_at <= platform.now:
            if study.status == "SCHEDULED":
                start_publishing(platform, study)
            if study.status == "PUBLISHING" and study.due_at <= platform.now:
                study.published_at = study.due_at
                set_status(platform, study, "ACTIVE")
        refresh(platform, study)


def start_publishing(platform: Platform, study: Study) -> None:
    set_status(platform, study, "PUBLISHING")
    study.due_at = platform.now + platform.options.publishing_time


@route("POST", "/studies/{key}/transition/")
def transition(platform: Platform, request: Request, key: str) -> Response:
    study = platform.study(key)
    action = request.text("action")
    if action not in TRANSITIONS:
        raise invalid(action=f'"{action}" is not a valid choice.')
    sources = TRANSITIONS[action]
    if action == "STOP" and platform.options.full_studies_can_be_stopped:
        sources = sources | {"AWAITING REVIEW"}
    if study.status not in sources or study.stopped:
        raise refused(f"A study that is {study.status} does not allow {action}.")
    if action in ("PUBLISH", "SCHEDULE_PUBLISH"):
        _lock(platform, study)
    if action == "PUBLISH":
        start_publishing(platform, study)
    elif action == "SCHEDULE_PUBLISH":
        due_at = _publication_time(request)
        set_status(platform, study, "SCHEDULED")
        study.due_at = due_at
    elif action == "STOP":
        study.stopped = True
        set_status(platform, study, platform.options.status_after_stop)
    else:
        statuses = {"CANCEL_PUBLISH": "UNPUBLISHED", "PAUSE": "PAUSED", "START": "ACTIVE"}
        set_status(platform, study, statuses[action])
        refresh(platform, study)
    return Response(200, detail_of(platform, study))


def _lock(platform: Platform, study: Study) -> None:
    """Check that the wallet covers the study, whose places are locked from then on."""
    workspace = platform.workspace_of(study)
    places = study.places * workspace.cost(study.reward)
    money.check_funds(platform, workspace, places + money.screen_out_lock(platform, study))


def _publication_time(request: Request) -> datetime:
    try:
        time = datetime.fromisoformat(request.text("publish_at"))
    except ValueError:
        raise invalid(publish_at="Enter an ISO 8601 time.") from None
    if time.tzinfo is None:
        raise invalid(publish_at="Enter a time with a zone.")
    return time


# Create, read, change, delete


@route("POST", "/studies/")
def create(platform: Platform, request: Request) -> Response:
    unknown = set(request.fields) - {*REQUIRED, *OPTIONAL}
    if unknown:
        raise invalid(**dict.fromkeys(unknown, "Unknown field."))
    if key := request.fields.get("project"):
        project = platform.project(key)
    else:
        project = min(platform.projects.values(), key=lambda row: row.created_at)
    fields = completed(request.fields)
    check_fields(platform, platform.workspaces[project.workspace], fields)
    study = Study(platform.new_id(), project.id, platform.now, fields)
    platform.studies[study.id] = study
    return Response(201, detail_of(platform, study))


@route("GET", "/studies/{key}/")
def read(platform: Platform, request: Request, key: str) -> Response:
    return Response(200, detail_of(platform, platform.study(key)))


@route("PATCH", "/studies/{key}/")
def change(platform: Platform, request: Request, key: str) -> Response:
    study = platform.study(key)
    changes = request.fields
    if unknown := set(changes) - {*REQUIRED, *OPTIONAL}:
        raise invalid(**dict.fromkeys(unknown, "Unknown field."))
    if study.status != "UNPUBLISHED":
        if refused_fields := set(changes) - AFTER_PUBLICATION:
            message = "This field can't be changed after publication."
            raise invalid(**dict.fromkeys(refused_fields, message))
        changes = _with_access(study, changes)
        places = changes.get("total_available_places", study.places)
        if not isinstance(places, int) or places < study.places:
            raise invalid(total_available_places="The number of places can only be increased.")
    fields = completed({**study.fields, **changes})
    workspace = platform.workspace_of(study)
    check_fields(platform, workspace, fields)
    if study.status != "UNPUBLISHED":
        _add_places(platform, study, fields)
    study.fields = fields
    refresh(platform, study)
    return Response(200, detail_of(platform, study))


def _with_access(study: Study, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the changes with all URLs and the total of their places.

    New URLs are added. If a total is sent as well, the numbers are added to existing URLs.
    """
    added = changes.get("access_details")
    if not added:
        return changes
    details = [dict(detail) for detail in study.fields["access_details"] or []]
    by_url = {detail["external_url"]: detail for detail in details}
    for detail in added:
        existing = by_url.get(detail.get("external_url"))
        if existing and "total_available_places" in changes:
            existing["total_allocation"] += detail["total_allocation"]
        else:
            details.append(detail)
    places = sum(detail["total_allocation"] for detail in details)
    return {"total_available_places": places, **changes, "access_details": details}


def _add_places(platform: Platform, study: Study, fields: dict[str, Any]) -> None:
    """Lock the cost of more places, and revive a stopped study."""
    larger = replace(study, fields=fields)
    is_revived = study.stopped and larger.places > study.places
    if is_revived:
        larger = replace(larger, status="ACTIVE", stopped=False)
    extra = money.lock_of(platform, larger) - money.lock_of(platform, study)
    if extra > 0:
        money.check_funds(platform, platform.workspace_of(study), extra)
    if is_revived:
        study.stopped = False
        set_status(platform, study, "ACTIVE")


@route("DELETE", "/studies/{key}/")
def delete(platform: Platform, request: Request, key: str) -> Response:
    study = platform.study(key)
    if study.status != "UNPUBLISHED":
        raise refused("Only studies that are not published can be deleted.")
    del platform.studies[key]
    return Response(204)


@route("GET", "/studies/")
def list_all(platform: Platform, request: Request) -> Response:
    return _list(platform, request, list(platform.studies.values()))


@route("GET", "/projects/{key}/studies/")
def list_of_project(platform: Platform, request: Request, key: str) -> Response:
    project = platform.project(key)
    rows = [study for study in platform.studies.values() if study.project == project.id]
    return _list(platform, request, rows)


def _list(platform: Platform, request: Request, rows: list[Study]) -> Response:
    query = request.query
    if status := query.get("status"):
        rows = [study for study in rows if study.status == status.upper()]
    for name, value, expected in SWITCHES:
        if query.get(name) == value:
            rows = [study for study in rows if study.status == expected]
    if project := query.get("project") or query.get("project_id"):
        rows = [study for study in rows if study.project == project]
    ordering = query.get("ordering", "date_created")
    keys: dict[str, Callable[[Study], Any]] = {
        "date_created": lambda study: study.created_at,
        "name": lambda study: study.fields["name"],
    }
    key = keys.get(ordering.removeprefix("-"))
    if key is None:
        raise ApiError(400, [f"{ordering} is not a valid ordering."])
    rows = sorted(rows, key=key, reverse=ordering.startswith("-"))
    return page_of(platform, request, [summary_of(platform, study) for study in rows])


def summary_of(platform: Platform, study: Study) -> dict[str, Any]:
    factor = 100 if platform.options.inflated_list_rewards else 1
    return {
        "id": study.id,
        "name": study.fields["name"],
        "internal_name": study.fields["internal_name"],
        "status": study.status,
        "date_created": text_of(study.created_at),
        "published_at": text_of(study.published_at),
        "total_available_places": study.places,
        "places_taken": platform.places_taken(study),
        "number_of_submissions": len(platform.submissions_of(study)),
        "reward": study.reward * factor,
        "study_type": "SINGLE",
        "is_reallocated": False,
    }


def detail_of(platform: Platform, study: Study) -> dict[str, Any]:
    workspace = platform.workspace_of(study)
    summary = summary_of(platform, study)
    if not platform.options.details_have_places_taken:
        del summary["places_taken"]
    return {
        **study.fields,
        **summary,
        "reward": study.reward,
        "project": study.project,
        "currency_code": workspace.currency,
        "presentment_currency_code": workspace.currency,
        "total_cost": study.places * workspace.cost(study.reward),
        "is_ready_to_publish": True,
        "publish_at": text_of(study.due_at) if study.status == "SCHEDULED" else None,
    }


@route("GET", "/filters/")
def list_filters(platform: Platform, request: Request) -> Response:
    rows = [{"title": row["filter_id"].replace("-", " "), **row} for row in FILTERS]
    return page_of(platform, request, rows)


@route("GET", "/filter-sets/{key}/")
def read_filter_set(platform: Platform, request: Request, key: str) -> Response:
    if key not in platform.filter_sets:
        raise not_found("Filter set")
    return Response(200, platform.filter_sets[key])


@route("POST", "/studies/{key}/test-study")
def create_test_study(platform: Platform, request: Request, key: str) -> Response:
    study = platform.study(key)
    workspace = platform.workspace_of(study)
    if "TEST_PARTICIPANTS" not in workspace.features or study.status != "UNPUBLISHED":
        raise not_found("Test study")
    testers = [person.id for person in platform.people.values() if person.is_test]
    allowlist = {"filter_id": "custom_allowlist", "selected_values": testers or ["none"]}
    fields = {**study.fields, "filters": [allowlist], "name": f"TEST: {study.fields['name']}"}
    twin = Study(platform.new_id(), study.project, platform.now, fields)
    platform.studies[twin.id] = twin
    _lock(platform, twin)
    start_publishing(platform, twin)
    address = f"https://app.prolific.com/studies/{twin.id}"
    return Response(200, {"study_id": twin.id, "study_url": address})

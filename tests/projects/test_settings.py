"""Tests of the forms that set up and change a project."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.domain.corpus.item_context import suggestions_of
from audit.models import StateChange
from crowd.domain.money.pay_scheme import check_pay_scheme
from jobs.domain.queue_job import queue_job
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.choose_protocol import choose_protocol
from projects.enums import MemberRole
from projects.forms import ProjectForm
from projects.models import Project
from rehearsal.models import Rehearsal
from schemes.qasrl.pay import PAY_PRESETS
from tests.annotation.uploads import run_jobs
from tests.dashboard.campaign import START, add_items, make_project, make_user
from tests.view_names import VIEW_NAMES


@pytest.fixture
def founder(db) -> Client:
    user = make_user("fay")
    user.user_permissions.add(Permission.objects.get(codename="add_project"))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture(autouse=True)
def uploads(job_files):
    return job_files / "uploads"


def url(name: str, project: Project, *more: object) -> str:
    return reverse(VIEW_NAMES[name], args=[project.slug, *more])


NEW = {"title": "Café news", "slug": "", "scheme": "qasrl", "cap": "750.50"}


# --- new projects


def test_project_created_by_form_belongs_to_its_creator(founder):
    response = founder.post(reverse("projects:project_new"), NEW)
    project = Project.objects.get(slug="cafe-news")
    assert response.url == url("corpus", project)
    assert project.budget.cap_cents == 75_050
    assert project.minimum_hourly_cents is None  # left empty
    assert project.memberships.get().role == MemberRole.ADMIN
    assert founder.get(response.url).status_code == 200


def test_form_of_a_new_project_has_few_fields_and_offers_nothing_that_it_would_refuse(founder):
    page = founder.get(reverse("projects:project_new")).content.decode()
    shown, folded = page.split("<details", 1)
    fields = re.findall(r'name="(\w+)"', shown[shown.index("new-project") :])
    assert set(fields) <= {"csrfmiddlewaretoken", "title", "scheme", "starter", "provider"}
    assert re.search(r'value="qasrl"[^>]*checked', shown)
    assert "two people annotate an item, and a third merges their work" in folded
    assert "returns to its annotator (not for QA-SRL)" in folded
    assert 'name="pay"' not in page
    assert set(re.findall(r'name="(\w+)"', page)) >= set(ProjectForm.MORE)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"slug": "new"}, "slug"),
        ({"slug": "two words"}, "slug"),
        ({"title": "新聞"}, "slug"),
        ({"title": ""}, "title"),
        ({"cap": "-1"}, "cap"),
        ({"cap": "1.005"}, "cap"),
        ({"scheme": "none"}, "scheme"),
    ],
)
def test_invalid_project_is_refused_beside_the_field(founder, wrong, field):
    response = founder.post(reverse("projects:project_new"), NEW | wrong)
    assert response.status_code == 422
    assert field in response.context["form"].errors
    assert not Project.objects.exists()


def test_duplicate_short_name_is_refused(founder):
    founder.post(reverse("projects:project_new"), NEW)
    response = founder.post(reverse("projects:project_new"), NEW)
    assert response.status_code == 422
    assert "already exists, or was deleted." in response.content.decode()


def test_creating_projects_requires_the_permission(office):
    assert office.get(reverse("projects:project_new")).status_code == 403
    assert b"New project" not in office.get("/").content


# --- settings


def form_of(client: Client, project: Project) -> dict[str, object]:
    initial = client.get(url("settings", project)).context["form"].initial
    dollars = {
        name: "" if initial[name] is None else f"{initial[name] / 100:.2f}"
        for name in ("cap", "minimum_hourly")
    }
    return {name: "" if value is None else value for name, value in (initial | dollars).items()}


def test_unchanged_form_changes_and_logs_nothing(office, project):
    response = office.post(url("settings", project), form_of(office, project))
    assert response.status_code == 302
    assert not StateChange.objects.filter(aggregate="projects.Project").exists()


def test_each_change_is_logged_with_a_description(office, project):
    changes = {"title": "News", "cap": "60000", "minimum_hourly": "12.50", "locales": "US, GB"}
    office.post(url("settings", project), form_of(office, project) | changes)
    project.refresh_from_db()
    assert (project.title, project.minimum_hourly_cents) == ("News", 1250)
    assert project.budget.cap_cents == 6_000_000
    assert project.worker_requirements[0]["locales"] == ["GB", "US"]
    logged = StateChange.objects.filter(aggregate="projects.Project").order_by("pk")
    assert {change.actor for change in logged} == {"rita"}
    assert [change.reason for change in logged] == [
        "title: Project demo -> News",
        "worker requirements: nothing -> locale In GB, US",
        "budget limit: $50,000.00 -> $60,000.00",
        "minimum hourly pay: none -> $12.50",
    ]
    page = office.get(url("settings", project)).content.decode()
    assert "changed the budget limit from $50,000.00 to $60,000.00." in page


def test_minimum_pay_that_no_column_holds_is_refused(founder, office, project):
    too_much = {"minimum_hourly": "21474836.48"}
    response = office.post(url("settings", project), form_of(office, project) | too_much)
    assert response.status_code == 422
    assert "less than or equal to 21474836.47" in response.content.decode()
    response = founder.post(reverse("projects:project_new"), NEW | too_much)
    assert response.status_code == 422
    assert not Project.objects.exclude(pk=project.pk).exists()


def test_language_is_chosen_for_a_new_project_and_changed(founder):
    founder.post(reverse("projects:project_new"), NEW | {"language": "he"})
    project = Project.objects.get(slug="cafe-news")
    assert project.language == "he"
    founder.post(url("settings", project), form_of(founder, project) | {"language": "yi"})
    project.refresh_from_db()
    assert project.language == "yi"
    change = StateChange.objects.get(reason__startswith="language")
    assert change.reason == "language of the corpus: Hebrew -> Yiddish"


def test_unknown_language_is_refused(founder):
    response = founder.post(reverse("projects:project_new"), NEW | {"language": "xx"})
    assert response.status_code == 422
    assert not Project.objects.exists()


def test_context_is_chosen_and_logged(office, project):
    form = form_of(office, project)
    assert form["shown_context"] == "none"
    office.post(url("settings", project), form | {"shown_context": "document"})
    project.refresh_from_db()
    assert project.shown_context == "document"
    change = StateChange.objects.get(aggregate="projects.Project")
    assert change.reason == "context: no sentences -> the whole document"


def test_decision_on_bonuses_is_chosen_and_logged(office, project):
    form = form_of(office, project)
    assert form["bonus_timing"] == "by-trust"
    office.post(url("settings", project), form | {"bonus_timing": "after-consolidation"})
    project.refresh_from_db()
    assert project.bonus_timing == "after-consolidation"
    change = StateChange.objects.get(aggregate="projects.Project")
    assert change.reason == (
        "decision on pay: by trust: at once for trained and reliable workers -> after consolidation"
    )
    office.post(url("settings", project), form | {"bonus_timing": ""})
    project.refresh_from_db()
    assert project.bonus_timing == "after-consolidation"


def test_answers_in_the_context_are_allowed_unless_people_vote(office, project):
    form = form_of(office, project)
    assert not form["allows_context_answers"]
    office.post(url("settings", project), form | {"allows_context_answers": "on"})
    project.refresh_from_db()
    assert project.allows_context_answers
    choose_protocol(
        project=project, protocol="validation", validators=2, agree=2, actor="rob", now=START
    )
    project.refresh_from_db()
    assert not project.allows_context_answers
    page = office.get(url("settings", project))
    assert "allows_context_answers" not in page.context["form"].fields


def test_cap_below_what_is_spent_is_refused(office, campaign):
    before = campaign.project.budget.cap_cents
    response = office.post(
        url("settings", campaign.project), form_of(office, campaign.project) | {"cap": "0.01"}
    )
    assert response.status_code == 422
    assert "Enter a limit of at least that amount." in response.content.decode()
    campaign.project.budget.refresh_from_db()
    assert campaign.project.budget.cap_cents == before


def test_number_of_generators_is_fixed_once_items_are_published(office, project, campaign):
    response = office.post(
        url("settings", project), form_of(office, project) | {"generators_per_item": 3}
    )
    assert response.status_code == 422
    assert "generators_per_item" in response.context["form"].errors
    fresh = make_project("fresh")
    client = Client()
    client.force_login(make_user("rob", fresh, MemberRole.REQUESTER))
    client.post(url("settings", fresh), form_of(client, fresh) | {"generators_per_item": 3})
    fresh.refresh_from_db()
    assert fresh.generators_per_item == 3


@pytest.mark.parametrize("locales", ["usa", "u", "US us"])
def test_unknown_country_is_refused(office, project, locales):
    response = office.post(
        url("settings", project), form_of(office, project) | {"locales": locales}
    )
    assert "locales" in response.context["form"].errors


# --- corpus

TEXT = "The committee rejected the proposal .\nZürich's café had 東京 visitors .\n"


def upload(
    client: Client, project: Project, text: bytes | str = TEXT, *, name="news.txt", **fields: object
):
    content = text if isinstance(text, bytes) else text.encode()
    facts = {"corpus": SimpleUploadedFile(name, content), "fmt": "text", **fields}
    preview = client.post(url("corpus", project), facts)
    run_jobs()
    return preview


def test_corpus_is_previewed_and_imported(office, project):
    preview = upload(office, project, domain="news")
    page = office.get(preview.url).content.decode()
    assert "2 of 2 sentences" in page
    assert "café had 東京 visitors ." in page
    assert "rejected" in page
    assert not project.sentences.exists()
    office.post(preview.url)
    run_next_job(clock=lambda: START)
    assert [sentence.domain for sentence in project.sentences.all()] == ["news", "news"]
    assert project.items.exists()
    corpus_page = office.get(url("corpus", project)).content.decode()
    assert "state--finished" in corpus_page
    assert office.get(preview.url).status_code == 302  # no decision is left


def test_unreadable_file_is_explained_and_can_only_be_discarded(office, project, uploads):
    preview = upload(office, project, b"\xff\xfe\x00broken", fmt="conllu")
    page = office.get(preview.url).content.decode()
    assert "news.txt" in page
    assert "Import</button>" not in page
    assert str(uploads) not in page
    office.post(preview.url, {"discard": "1"})
    job = Job.objects.get(kind="import")
    assert (job.state, job.problem) == (JobState.CANCELLED, "Discarded before the import.")
    assert not [entry for entry in uploads.rglob("*") if entry.is_file()]
    assert not run_next_job(clock=lambda: START)


@pytest.mark.parametrize(
    ("name", "fmt"),
    [
        ("news.txt", "text"),
        ("NEWS.CSV", "table"),
        ("dev.jsonl", "qasrl-bank"),
        ("en_ewt-ud-dev.conllu", "conllu"),
        ("news.doc", "text"),
    ],
)
def test_format_follows_from_the_content_and_then_the_ending(name, fmt, office, project):
    assert upload(office, project, name=name, fmt="").status_code == 302
    assert Job.objects.get(kind="import").parameters["format"] == fmt


def test_upload_without_a_file_is_refused(office, project):
    response = office.post(url("corpus", project), {"fmt": "text"})
    assert response.status_code == 422
    assert "corpus" in response.context["form"].errors


def test_running_import_refreshes_the_list(office, project):
    preview = upload(office, project)
    office.post(preview.url)
    assert b"every '2s'" in office.get(url("corpus", project)).content
    run_next_job(clock=lambda: START)
    assert b"every '2s'" not in office.get(url("corpus", project)).content


def test_upload_of_another_project_is_not_found(office, project):
    make_project("other")
    job = queue_job(
        kind="import",
        scope="other",
        parameters={},
        actor="x",
        now=START,
        state=JobState.UPLOADED,
    )
    assert office.get(url("corpus_preview", project, job.pk)).status_code == 404


# --- guidelines


def test_guidelines_have_versions_and_old_ones_stay_readable(office, project):
    address = url("guidelines", project)
    old = project.guidelines.filter(role="generator").get()
    office.post(address + "?role=generator", {"text": "# New\r\n\r\nAsk **all** of it.\r\n"})
    new = project.guidelines.filter(role="generator").order_by("-version").first()
    assert (new.version, new.text) == (old.version + 1, "# New\n\nAsk **all** of it.\n")
    page = office.get(address + "?role=generator").content.decode()
    assert "<strong>all</strong>" in page
    earlier = office.get(f"{address}?role=generator&version={old.version}")
    assert earlier.context["shown"] == old
    office.post(address + "?role=generator", {"text": new.text.replace("\n", "\r\n")})
    assert project.guidelines.filter(role="generator").count() == 2


def test_guidelines_are_translated(office, project):
    address = url("guidelines", project) + "?role=generator"
    german = address + "&language=de"
    assert "Translation, in Markdown" in office.get(german).content.decode()
    office.post(german, {"text": "# Neu\r\n"})
    first = project.guidelines.filter(role="generator").order_by("-version").first()
    assert (first.version, first.language, first.translations) == (2, "en", {"de": "# Neu\n"})
    assert "German" in office.get(address).content.decode()
    # The other texts are part of the new version.
    office.post(address, {"text": "# New", "language": "en"})
    second = project.guidelines.filter(role="generator").order_by("-version").first()
    assert (second.text, second.translations) == ("# New\n", {"de": "# Neu\n"})
    refused = office.post(address, {"text": "# New", "language": "de"})
    assert refused.status_code == 422
    assert "There is a translation into this language" in refused.content.decode()
    office.post(german, {"text": ""})
    third = project.guidelines.filter(role="generator").order_by("-version").first()
    assert (third.version, third.translations) == (4, {})


def test_preview_shows_the_text_and_saves_nothing(office, project):
    before = project.guidelines.count()
    typed = {"text": "<script>x</script> *so*"}
    address = url("guidelines", project) + "?role=generator&preview"
    part = office.post(address, typed, headers={"HX-Request": "true"}).content.decode()
    assert "<em>so</em>" in part
    assert "<script>" not in part
    assert "<textarea" not in part
    # Without JavaScript, the form still contains the typed text.
    page = office.post(address, typed).content.decode()
    assert "<em>so</em>" in page
    assert "&lt;script&gt;x&lt;/script&gt; *so*</textarea>" in page
    nothing = office.post(address, {"text": ""})
    assert nothing.status_code == 422
    assert project.guidelines.count() == before


def test_minimum_pay_is_suggested_and_warned_about(founder):
    """The usual pay is 5 + 5 cents for three questions in 90 s, which is $4.00 an hour."""
    page = founder.get(reverse("projects:project_new")).content.decode()
    assert 'name="minimum_hourly" value="12.00"' in page
    created = founder.post(reverse("projects:project_new"), NEW | {"minimum_hourly": "12"})
    text = " ".join(founder.get(created.url).content.decode().split())
    assert "Generators are expected to earn $4.00 an hour." in text
    assert "below the project's minimum of $12.00" in text
    Project.objects.update(minimum_hourly_cents=400)
    assert "are expected to earn" not in founder.get(created.url).content.decode()


# --- pay


def terms(project: Project, **changed: object) -> dict[str, object]:
    return {
        f"{role}-{name}": value / 100 if name.endswith("_cents") else value
        for role, scheme in project.pay_scheme.items()
        for name, value in scheme.items()
    } | changed


def test_forecast_is_shown_before_saving(office, project):
    page = office.post(
        url("pay", project), terms(project, **{"generator-reward_cents": "0.20", "forecast": 1})
    )
    forecast = page.context["forecasts"][0]
    # The forecast assumes three questions in 90 s: 20 cents, and 5 for the third, 40 times an hour.
    assert (forecast.seen, forecast.pay_cents, forecast.hourly_cents) == (0, 25, 1000)
    project.refresh_from_db()
    assert project.pay_scheme == check_pay_scheme("qasrl-2020", PAY_PRESETS)


def test_cost_under_the_stored_pay_is_not_beside_an_estimate_of_another_one(office, project):
    add_items(project, 1)
    assert b"is expected to cost" in office.get(url("pay", project)).content
    fields = terms(project, **{"generator-reward_cents": "0.20", "forecast": 1})
    assert b"is expected to cost" not in office.post(url("pay", project), fields).content


def test_pay_is_saved_and_logged(office, project):
    office.post(
        url("pay", project), terms(project, **{"generator-reward_cents": "0.20", "save": 1})
    )
    project.refresh_from_db()
    assert project.pay_scheme["generator"]["reward_cents"] == 20
    [change] = StateChange.objects.filter(reason__contains="of generators")
    assert change.reason == "reward of generators: $0.05 -> $0.20"


def test_pay_is_fixed_while_published_hits_use_it(office, project, campaign):
    response = office.post(
        url("pay", project), terms(project, **{"generator-reward_cents": "0.01", "save": 1})
    )
    assert response.status_code == 422
    assert "Published HITs use these terms" in response.content.decode()
    project.refresh_from_db()
    assert project.pay_scheme == check_pay_scheme("qasrl-2020", PAY_PRESETS)


@pytest.mark.parametrize("value", ["", "-1", "many", "1000.01", "0.005"])
def test_invalid_terms_are_refused(office, project, value):
    response = office.post(
        url("pay", project), terms(project, **{"generator-reward_cents": value, "save": 1})
    )
    assert response.status_code == 422


def test_forecast_uses_the_work_of_the_project(office, project, campaign):
    forecast = office.get(url("pay", project)).context["forecasts"][0]
    assert forecast.seen == 15
    assert forecast.units == 3


def test_pay_page_has_the_terms_of_the_protocol_in_dollars(office, project):
    """Terms of validators, whom consolidation doesn't use, are kept."""
    page = office.get(url("pay", project))
    assert [form.role for form in page.context["forms"]] == ["generator", "consolidator"]
    text = page.content.decode()
    assert "Start from QA-SRL 2020 paper rates" in text
    assert "Reward, in dollars" in text
    assert 'name="generator-reward_cents" value="0.05"' in text
    office.post(url("pay", project), terms(project, **{"generator-reward_cents": "0.2", "save": 1}))
    before = project.pay_scheme["validator"]
    project.refresh_from_db()
    assert project.pay_scheme["generator"]["reward_cents"] == 20
    assert project.pay_scheme["validator"] == before


# --- rehearsals


def test_rehearsal_uses_a_copy_visible_to_colleagues(office, campaign, project, settings):
    settings.MTURK_IS_OURS = True
    response = office.post(url("dry_run", project))
    assert response.url == url("dry_run", project)
    row = Rehearsal.objects.get()
    assert row.original == project
    assert (row.job.scope, row.job.state, row.job.total) == ("demo", JobState.QUEUED, 12)
    assert row.copy.pay_scheme == project.pay_scheme
    assert row.copy.items.count() == 12
    assert office.get(url("project", row.copy)).status_code == 200
    page = office.get("/").content.decode()
    assert row.copy.title not in page
    assert office.post(url("dry_run", project)).status_code == 422  # only one rehearsal at a time


def test_rehearsal_without_items_is_explained(office, project, settings):
    settings.MTURK_IS_OURS = True
    response = office.post(url("dry_run", project))
    assert response.status_code == 422
    assert b"Import a corpus first" in response.content
    assert not Rehearsal.objects.exists()


def test_rehearsal_is_refused_at_an_external_marketplace(office, campaign, project, settings):
    settings.MTURK_IS_OURS = False
    assert (
        b"Rehearsals need the built-in marketplace" in office.post(url("dry_run", project)).content
    )
    assert Project.objects.count() == 1


# --- suggestions


@pytest.mark.parametrize(
    ("setting", "partition", "kind"),
    [
        ("by-partition", "train", "learned"),
        ("by-partition", "dev", "grammar"),
        ("by-partition", "test", "grammar"),
        ("by-partition", "", "grammar"),
        ("off", "train", "off"),
        ("grammar", "train", "grammar"),
        ("learned", "test", "learned"),
    ],
)
def test_suggestions_follow_the_setting_and_the_partition(setting, partition, kind):
    assert suggestions_of(Project(suggestions=setting), partition) == kind


def test_suggestions_are_changed_and_logged(office, project):
    form = form_of(office, project)
    assert form["suggestions"] == "by-partition"
    office.post(url("settings", project), form | {"suggestions": "off"})
    project.refresh_from_db()
    assert project.suggestions == "off"
    reason = "suggestions: by partition: learned in train, grammar elsewhere -> off"
    assert StateChange.objects.filter(reason=reason).exists()


def test_schemes_without_suggestions_have_no_such_setting(office, project):
    project.scheme = "frames"
    project.save()
    form = office.get(url("settings", project)).context["form"]
    assert "suggestions" not in form.fields

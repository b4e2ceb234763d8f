"""Authentication of the Requester API by key, date and signature."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from botocore.httpsession import URLLib3Session
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marketplace.api.endpoint import requester_api
from marketplace.domain import access_keys, vault
from marketplace.domain.signature import (
    NotAuthenticError,
    SignedRequest,
    read_authorization,
    verify,
)
from marketplace.models import AccessKey, Hit, Requester

from .conftest import HIT_TYPE, make_requester, mturk_client, question

pytestmark = pytest.mark.django_db
SERVICE = "MTurkRequesterServiceV20170117"


def kind_of(call, **params) -> str:
    with pytest.raises(ClientError) as error:
        call(**params)
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    return error.value.response["Error"]["Code"]


def signed(
    site: str, key_id: str, secret: str, *, operation="GetAccountBalance", body="{}", path="/mturk/"
):
    request = AWSRequest(
        "POST",
        f"{site}{path}",
        headers={"X-Amz-Target": f"{SERVICE}.{operation}"},
        data=body,
    )
    SigV4Auth(Credentials(key_id, secret), "mturk-requester", "us-east-1").add_auth(request)
    return request


def send(request) -> tuple[int, dict]:
    answer = URLLib3Session().send(request.prepare())
    return answer.status_code, json.loads(answer.content)


def test_signed_request_is_answered(site, requester):
    status, body = send(signed(site, *requester[1:]))
    assert (status, body["AvailableBalance"]) == (200, "1000.00")


def test_api_is_also_at_the_root(site, requester):
    client = mturk_client(site, *requester[1:], path="/")
    assert client.get_account_balance()["AvailableBalance"] == "1000.00"
    hit_type = client.create_hit_type(**HIT_TYPE)["HITTypeId"]
    fields = {"HITTypeId": hit_type, "LifetimeInSeconds": 60, "Question": question()}
    hit = client.create_hit_with_hit_type(**fields)["HIT"]
    assert client.get_hit(HITId=hit["HITId"])["HIT"]["Title"] == HIT_TYPE["Title"]
    client.close()


def test_signature_at_the_root_is_verified_for_the_root(site, requester):
    elsewhere = signed(site, *requester[1:])
    elsewhere.url = f"{site}/"
    status, body = send(elsewhere)
    assert (status, body["__type"]) == (400, "InvalidSignatureException")
    status, body = send(signed(site, requester[1], "wrong", path="/"))
    assert (status, body["__type"]) == (400, "InvalidSignatureException")


def test_page_of_the_site_at_the_root_is_unchanged(client):
    target = {"X-Amz-Target": f"{SERVICE}.GetAccountBalance"}
    plain = client.get("/")
    assert plain.status_code == 302
    assert client.get("/", headers=target).url == plain.url
    assert client.post("/").headers["Content-Type"] != "application/x-amz-json-1.1"
    unsigned = json.loads(client.post("/", headers=target).content)
    assert unsigned["__type"] == "MissingAuthenticationTokenException"
    assert client.post("/nowhere/", headers=target).status_code == 404


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"MaxResults": NaN}', "not finite"),
        ('{"MaxResults": 1e999}', "not finite"),
        ('{"NextToken": "\\ud800"}', "surrogate"),
        ('{"Unknown": ["\\udfff"]}', "surrogate"),
        ("[" * 100_000, "nested"),
        ('{"MaxResults": ', "not JSON"),
    ],
)
def test_malformed_json_is_refused(site, requester, body, message):
    status, answer = send(signed(site, *requester[1:], operation="ListHITs", body=body))
    assert (status, answer["__type"]) == (400, "SerializationException")
    assert message in answer["Message"]


def test_body_beyond_the_limit_is_refused(site, requester):
    status, answer = send(signed(site, *requester[1:], body=" " * (10 * 2**20 + 1)))
    assert (status, answer["__type"]) == (413, "RequestEntityTooLargeException")


def test_chunked_body_is_refused_with_an_explanation(requester, rf):
    key_id, secret = requester[1:]
    prepared = signed("http://testserver", key_id, secret).prepare()
    headers = {name: _text(value) for name, value in prepared.headers.items()}
    request = rf.post(
        "/mturk/",
        data=b"",
        content_type="application/x-amz-json-1.1",
        headers=headers | {"Host": "testserver", "Transfer-Encoding": "chunked"},
    )
    response = requester_api(request)
    assert response.status_code == 411
    assert "Content-Length" in json.loads(response.content)["Message"]


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def test_unsigned_request_is_refused(site, requester):
    request = signed(site, *requester[1:])
    del request.headers["Authorization"]
    assert send(request)[1]["__type"] == "MissingAuthenticationTokenException"


def test_request_of_an_unknown_key_is_refused(site, requester):
    client = mturk_client(site, "TSNOBODYKNOWSTHIS1", requester[2])
    assert kind_of(client.get_account_balance) == "UnrecognizedClientException"


def test_request_signed_with_another_secret_is_refused(site, requester):
    client = mturk_client(site, requester[1], requester[2] + "x")
    assert kind_of(client.get_account_balance) == "InvalidSignatureException"


def test_key_of_one_requester_with_the_secret_of_another_is_refused(site, requester):
    other = make_requester("other")
    client = mturk_client(site, requester[1], other[2])
    assert kind_of(client.get_account_balance) == "InvalidSignatureException"


def test_changed_body_is_refused(site, requester):
    request = signed(site, *requester[1:])
    request.data = b'{"MaxResults": 1}'
    assert send(request)[1]["__type"] == "InvalidSignatureException"


def test_changed_operation_is_refused(site, requester):
    request = signed(site, *requester[1:])
    request.headers.replace_header("X-Amz-Target", f"{SERVICE}.ListHITs")
    assert send(request)[1]["__type"] == "InvalidSignatureException"


def test_operation_outside_the_signature_is_refused(site, requester):
    request = signed(site, *requester[1:])
    given_to = request.headers["Authorization"].replace(";x-amz-target", "")
    request.headers.replace_header("Authorization", given_to)
    status, body = send(request)
    assert (status, body["__type"]) == (400, "InvalidSignatureException")
    assert "x-amz-target" in body["Message"]


@pytest.mark.parametrize(
    ("service", "region"), [("s3", "us-east-1"), ("mturk-requester", "eu-west-1")]
)
def test_request_signed_for_another_service_or_region_is_refused(site, requester, service, region):
    request = signed(site, *requester[1:])
    del request.headers["Authorization"], request.headers["X-Amz-Date"]
    SigV4Auth(Credentials(*requester[1:]), service, region).add_auth(request)
    status, body = send(request)
    assert (status, body["__type"]) == (400, "InvalidSignatureException")
    assert "us-east-1" in body["Message"]


def test_digest_in_a_header_does_not_replace_the_body(site, requester):
    request = AWSRequest(
        "POST",
        f"{site}/mturk/",
        headers={
            "X-Amz-Target": f"{SERVICE}.GetAccountBalance",
            "X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD",
        },
        data="{}",
    )
    SigV4Auth(Credentials(*requester[1:]), "mturk-requester", "us-east-1").add_auth(request)
    assert send(request)[1]["__type"] == "InvalidSignatureException"


def test_any_header_may_be_signed(site, requester, monkeypatch):
    monkeypatch.setattr("botocore.auth.SIGNED_HEADERS_BLACKLIST", [])
    request = AWSRequest(
        "POST",
        f"{site}/mturk/",
        headers={"X-Amz-Target": f"{SERVICE}.GetAccountBalance", "User-Agent": "a  client"},
        data="{}",
    )
    SigV4Auth(Credentials(*requester[1:]), "mturk-requester", "us-east-1").add_auth(request)
    assert "user-agent" in request.headers["Authorization"]
    assert send(request)[0] == 200


@pytest.mark.parametrize("minutes", [-6, 6])
def test_request_with_a_wrong_time_is_refused(site, requester, minutes, monkeypatch):
    wrong_time = datetime.now(UTC) + timedelta(minutes=minutes)
    monkeypatch.setattr(
        "botocore.auth.get_current_datetime", lambda **_: wrong_time.replace(tzinfo=None)
    )
    status, body = send(signed(site, *requester[1:]))
    assert (status, body["__type"]) == (400, "InvalidSignatureException")
    assert "more than 5 minutes" in body["Message"]


@pytest.mark.parametrize(
    "header", ["AWS4-HMAC-SHA256 nonsense", "Basic abc", "AWS4-HMAC-SHA256 Credential=a/b/c/d/e"]
)
def test_malformed_authorization_is_refused(site, requester, header):
    request = signed(site, *requester[1:])
    request.headers.replace_header("Authorization", header)
    assert send(request)[1]["__type"] == "IncompleteSignatureException"


def test_revoked_key_and_closed_requester_are_refused(site, requester):
    client = mturk_client(site, *requester[1:])
    client.get_account_balance()
    access_keys.revoke_key(key=AccessKey.objects.get(), now=timezone.now())
    assert kind_of(client.get_account_balance) == "UnrecognizedClientException"
    key, secret = access_keys.issue_key(requester=requester[0], now=timezone.now())
    rotated = mturk_client(site, key.access_key_id, secret)
    rotated.get_account_balance()
    Requester.objects.update(active=False)
    assert kind_of(rotated.get_account_balance) == "UnrecognizedClientException"


def test_unknown_operation_and_broken_json_are_refused(site, requester):
    unknown = signed(site, *requester[1:], operation="DropTables")
    assert send(unknown)[1]["__type"] == "UnknownOperationException"
    broken = signed(site, *requester[1:], body="{")
    assert send(broken)[1]["__type"] == "SerializationException"
    no_object = signed(site, *requester[1:], body="[]")
    assert send(no_object)[1]["TurkErrorCode"] == "AWS.MechanicalTurk.InvalidParameterValue"


def test_get_is_not_allowed(site, client):
    assert client.get("/mturk/").status_code == 405


def test_endpoint_works_without_the_trailing_slash(site, requester):
    request = signed(site, *requester[1:])
    request.url = f"{site}/mturk"
    request.headers.replace_header("X-Amz-Date", request.headers["X-Amz-Date"])
    del request.headers["Authorization"]
    SigV4Auth(Credentials(*requester[1:]), "mturk-requester", "us-east-1").add_auth(request)
    assert send(request)[0] == 200


def test_builtin_key_creates_its_account_once(site, settings):
    settings.MARKETPLACE_BUILTIN_KEY = ("TSHOUSE0123456789ABC", "a secret")
    settings.MARKETPLACE_OPENING_BALANCE = 5
    client = mturk_client(site, *settings.MARKETPLACE_BUILTIN_KEY)
    assert client.get_account_balance()["AvailableBalance"] == "5.00"
    client.create_hit(
        Title="t",
        Description="d",
        Reward="0.05",
        AssignmentDurationInSeconds=60,
        LifetimeInSeconds=60,
        Question=question(),
    )
    assert Requester.objects.get().name == "Touchstone"
    assert Hit.objects.get().requester.name == "Touchstone"
    impostor = mturk_client(site, "TSHOUSE0123456789ABC", "another")
    assert kind_of(impostor.get_account_balance) == "InvalidSignatureException"
    access_keys.revoke_key(key=AccessKey.objects.get(), now=timezone.now())
    assert kind_of(client.get_account_balance) == "UnrecognizedClientException"


def test_secrets_are_stored_encrypted(requester, settings):
    encrypted = AccessKey.objects.get().secret_encrypted
    assert requester[2] not in encrypted
    assert vault.decrypt(encrypted) == requester[2]
    old = settings.SECRET_KEY
    settings.SECRET_KEY = "another key"
    with pytest.raises(vault.UnreadableSecretError):
        vault.decrypt(encrypted)
    settings.SECRET_KEY_FALLBACKS = [old]
    assert vault.decrypt(encrypted) == requester[2]


def test_rotation_makes_earlier_keys_unnecessary(requester, settings, capsys):
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key"
    first, second = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.MARKETPLACE_ENCRYPTION_KEYS = [first]
    call_command("rotate_encryption_keys", "--json")
    assert json.loads(capsys.readouterr().out) == {"access_keys": 1, "payment_details": 0}
    settings.SECRET_KEY_FALLBACKS = []
    settings.MARKETPLACE_ENCRYPTION_KEYS = [second, first]
    assert access_keys.find_signer(requester[1], now=timezone.now())[1] == requester[2]
    call_command("rotate_encryption_keys")
    settings.MARKETPLACE_ENCRYPTION_KEYS = [second]
    assert access_keys.find_signer(requester[1], now=timezone.now())[1] == requester[2]
    settings.MARKETPLACE_ENCRYPTION_KEYS = [first]
    with pytest.raises(CommandError, match="another key"):
        call_command("rotate_encryption_keys")


@given(st.text(max_size=200))
def test_vault_decrypts_encrypted_text(text):
    text = text.encode("utf-8", "ignore").decode()
    assert vault.decrypt(vault.encrypt(text)) == text
    if text:
        assert vault.encrypt(text) != vault.encrypt(text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_vault_detects_every_change(data):
    encrypted = vault.encrypt("a secret of forty characters, more or less")
    place = data.draw(st.integers(0, len(encrypted) - 3))
    other = "A" if encrypted[place] != "A" else "B"
    with pytest.raises(vault.UnreadableSecretError):
        vault.decrypt(encrypted[:place] + other + encrypted[place + 1 :])


header_text = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)


@given(
    path=st.sampled_from(["/mturk/", "/mturk", "/a-b_c~d/"]),
    query=st.lists(st.tuples(header_text, header_text), max_size=3),
    body=st.binary(max_size=100),
    secret=header_text,
)
def test_signatures_agree_with_botocore(path, query, body, secret):
    from urllib.parse import urlencode

    url = f"https://market.example{path}" + (f"?{urlencode(query)}" if query else "")
    request = AWSRequest("POST", url, headers={"X-Amz-Target": "a.b"}, data=body)
    SigV4Auth(Credentials("TS00000000000000", secret), "mturk-requester", "us-east-1").add_auth(
        request
    )
    headers = {name.lower(): value for name, value in request.headers.items()}
    headers["host"] = "market.example"
    now = datetime.now(UTC)
    authorization = read_authorization(headers, now=now)
    signed_request = SignedRequest("POST", path, url.partition("?")[2], headers, body)
    verify(signed_request, authorization, secret=secret)
    with pytest.raises(NotAuthenticError):
        verify(signed_request, authorization, secret=secret + "x")

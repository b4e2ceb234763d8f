"""The fake of SQS and SNS, checked against botocore's models and client."""

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from botocore.loaders import Loader
from botocore.model import ServiceModel

from tests.fakes.aws_messaging import (
    KEY_ID,
    REGION,
    SECRET,
    SNS_ERRORS,
    SNS_NAMESPACE,
    SQS_ERRORS,
    FakeMessaging,
    running_messaging,
)


@pytest.fixture
def server():
    with running_messaging() as running:
        yield running


def client(server: FakeMessaging, service: str, secret: str = SECRET):
    return boto3.client(
        service,
        endpoint_url=server.url,
        region_name=REGION,
        aws_access_key_id=KEY_ID,
        aws_secret_access_key=secret,
        config=Config(retries={"total_max_attempts": 1}),
    )


def model(service: str) -> ServiceModel:
    return ServiceModel(Loader().load_service_model(service, "service-2"), service)


def test_protocols_are_those_of_the_models():
    assert model("sqs").metadata["protocols"] == ["json"]
    assert model("sqs").metadata["targetPrefix"] == "AmazonSQS"
    assert model("sns").metadata["protocols"] == ["query"]
    assert model("sns").metadata["xmlNamespace"] == SNS_NAMESPACE


@pytest.mark.parametrize(
    ("service", "operation", "errors"),
    [("sqs", "SendMessage", SQS_ERRORS), ("sns", "Publish", SNS_ERRORS)],
)
def test_errors_are_those_of_the_operation(service, operation, errors):
    shapes = {
        shape.metadata.get("error", {}).get("code", shape.name)
        for shape in model(service).operation_model(operation).error_shapes
    }
    names = {shape.name for shape in model(service).operation_model(operation).error_shapes}
    general = {"Throttled"}  # an error of the service, not of the operation
    assert set(errors) - general <= shapes | names


def test_messages_arrive_and_are_received(server):
    queue, topic = server.add_queue("hits"), server.add_topic("hits")
    sqs, sns = client(server, "sqs"), client(server, "sns")
    assert sqs.send_message(QueueUrl=queue, MessageBody="é")["MD5OfMessageBody"]
    assert sns.publish(TopicArn=topic, Message="<&>")["MessageId"]
    assert [row["Body"] for row in sqs.receive_message(QueueUrl=queue)["Messages"]] == ["é"]
    assert server.topics == {topic: ["<&>"]}


def test_errors_reach_the_client(server):
    sqs, sns = client(server, "sqs"), client(server, "sns")
    with pytest.raises(sqs.exceptions.QueueDoesNotExist):
        sqs.send_message(QueueUrl=f"{server.url}/1/none", MessageBody="x")
    with pytest.raises(sns.exceptions.NotFoundException):
        sns.publish(TopicArn=f"arn:aws:sns:{REGION}:123456789012:none", Message="x")


@pytest.mark.parametrize("service", ["sqs", "sns"])
def test_wrong_signature_is_refused(server, service):
    stranger = client(server, service, "another secret")
    queue, topic = server.add_queue("hits"), server.add_topic("hits")
    call, parameters = (
        (stranger.send_message, {"QueueUrl": queue, "MessageBody": "x"})
        if service == "sqs"
        else (stranger.publish, {"TopicArn": topic, "Message": "x"})
    )
    with pytest.raises(ClientError) as error:
        call(**parameters)
    assert "InvalidClientTokenId" in str(error.value)
    assert (server.queues, server.topics) == ({queue: []}, {topic: []})

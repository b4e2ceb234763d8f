"""An export sent to S3, or to anything that speaks its protocol.

boto3 finds the keys, the region and another endpoint where it always does (environment, profile,
instance role; AWS_ENDPOINT_URL_S3). An object appears under its name only once it is whole, and the
manifest goes last, as in a folder.
"""

import tempfile
from pathlib import Path
from typing import Any

from annotation.models import Project
from consolidation.domain.export_gold import MANIFEST, Export, ExportOptions, export_gold

S3 = "s3://"


class S3Refused(Exception):
    """The bucket did not take the export; the message says what S3 said."""


def export_to_s3(*, project: Project, options: ExportOptions, address: str) -> Export:
    """Write the export aside, then upload it below `s3://bucket/prefix`.

    Raises NothingToExport, PartitionError, OSError, S3Refused.
    """
    bucket, _, prefix = address.removeprefix(S3).partition("/")
    if not bucket:
        raise S3Refused(f"{address} names no bucket; give s3://bucket/prefix.")
    with tempfile.TemporaryDirectory(prefix="touchstone-export-") as folder:
        done = export_gold(project=project, options=options, folder=Path(folder))
        _upload(done, bucket, prefix.strip("/"), address)
    return done


def _upload(done: Export, bucket: str, prefix: str, address: str) -> None:
    # Inline: half a second, and only this way out needs it.
    import boto3  # noqa: PLC0415
    from boto3.exceptions import Boto3Error  # noqa: PLC0415
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    def key(name: str) -> str:
        return f"{prefix}/{name}" if prefix else name

    try:
        # A session of its own: the shared one would keep keys that have been taken back since.
        client: Any = boto3.session.Session().client("s3")
        # While files are replaced there must be no manifest that vouches for the old ones.
        client.delete_object(Bucket=bucket, Key=key(MANIFEST))
        for name in [*sorted(done.manifest["files"]), MANIFEST]:
            client.upload_file(str(done.folder / name), bucket, key(name))
    except (Boto3Error, BotoCoreError, ClientError) as error:
        raise S3Refused(
            f"{address}: {error} Nothing there counts until its manifest is."
        ) from error

"""Encrypted backups hide their content, and changed ones are refused."""

import base64
import os
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from operations.domain.backup_file import BackupFile, BadBackupError
from operations.domain.encrypted_file import (
    CHUNK_BYTES,
    FORMAT,
    HEADER_BYTES,
    SEALED_BYTES,
    DamagedError,
    DecryptingReader,
    EncryptingWriter,
    KeyFileError,
    read_key,
)
from operations.domain.write_backup import write_backup
from tests.dashboard.campaign import Campaign, make_project
from tests.operations.test_backup import NOW, counts, empty_database, folders

__all__ = ["folders"]
KEY, OTHER_KEY = b"k" * 32, b"o" * 32


def encrypt(path: Path, *parts: bytes) -> None:
    with path.open("wb") as file, EncryptingWriter(file, KEY) as writer:
        for part in parts:
            writer.write(part)


def decrypt(path: Path, key: bytes = KEY) -> bytes:
    with path.open("rb") as file, DecryptingReader(file, key) as reader:
        return reader.readall()


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "file"


@pytest.mark.parametrize(
    "size", [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 200_000]
)
def test_decrypted_content_equals_the_original(path, size):
    content = os.urandom(size)
    encrypt(path, content)
    assert decrypt(path) == content
    encrypt(path, *(content[at : at + 7001] for at in range(0, size, 7001)))
    assert decrypt(path) == content


def test_content_is_read_from_any_offset(path):
    content = os.urandom(200_000)
    encrypt(path, content)
    with path.open("rb") as file, DecryptingReader(file, KEY) as reader:
        for at in (199_990, 0, CHUNK_BYTES - 5, 2 * CHUNK_BYTES, 200_000, 5):
            reader.seek(at)
            part = b"".join(reader.read(5) for _ in range(2))
            assert part == content[at : at + 10]
        assert reader.seek(-3, os.SEEK_END) == reader.tell() == 199_997
        assert reader.read() == content[-3:]


def test_equal_content_has_different_ciphertexts(tmp_path):
    files = [tmp_path / "a", tmp_path / "b"]
    for file in files:
        encrypt(file, b"x" * 100)
    first, second = (file.read_bytes() for file in files)
    assert first[HEADER_BYTES:] != second[HEADER_BYTES:]


def test_another_key_is_refused(path):
    encrypt(path, b"secret")
    with pytest.raises(DamagedError, match="another key"):
        decrypt(path, OTHER_KEY)


def test_truncated_file_is_refused(path):
    encrypt(path, os.urandom(3 * CHUNK_BYTES))
    content = path.read_bytes()
    ends = [HEADER_BYTES + SEALED_BYTES * chunk for chunk in range(3)]
    for length in (0, 1, len(FORMAT), HEADER_BYTES - 1, *ends, ends[1] + 5, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(DamagedError):
            decrypt(path)


def test_longer_file_is_refused(path):
    encrypt(path, os.urandom(100))
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(DamagedError):
        decrypt(path)


def test_flipped_bit_is_refused(path):
    encrypt(path, os.urandom(CHUNK_BYTES + 50))
    content = path.read_bytes()
    for at in [
        *range(HEADER_BYTES + 20),
        *range(HEADER_BYTES, len(content), 997),
        len(content) - 1,
    ]:
        changed = bytearray(content)
        changed[at] ^= 1
        path.write_bytes(changed)
        with pytest.raises(DamagedError):
            decrypt(path)


def test_moved_chunk_is_refused(path):
    encrypt(path, os.urandom(3 * CHUNK_BYTES))
    content = path.read_bytes()
    ends = [HEADER_BYTES + SEALED_BYTES * chunk for chunk in range(4)]
    first, second, third = (content[start:end] for start, end in pairwise(ends))
    path.write_bytes(content[:HEADER_BYTES] + second + first + third)
    with pytest.raises(DamagedError):
        decrypt(path)


def test_key_file(tmp_path):
    file = tmp_path / "backup.key"
    file.write_bytes(base64.b64encode(KEY) + b"\n")
    assert read_key(file) == KEY
    for invalid_key in (b"", b"a passphrase", base64.b64encode(KEY[:-1]), b"\xff" * 44):
        file.write_bytes(invalid_key)
        with pytest.raises(KeyFileError, match="openssl rand"):
            read_key(file)


@pytest.fixture
def key_file(tmp_path) -> Path:
    file = tmp_path / "backup.key"
    file.write_bytes(base64.b64encode(KEY))
    return file


@pytest.fixture
def campaign_counts(transactional_db, folders) -> dict[str, int]:
    Campaign(make_project(), 8)
    (folders / "media").mkdir()
    (folders / "media" / "picture.png").write_bytes(os.urandom(150_000))
    return counts()


@pytest.fixture
def backup(campaign_counts, folders, key_file) -> Path:
    """Back up a campaign with encryption, then empty the site."""
    file = folders / "backup.zip.enc"
    call_command("backup", out=file, key_file=key_file)
    (folders / "media" / "picture.png").unlink()
    empty_database()
    return file


def restore(file: Path, **options: Path) -> None:
    call_command("restore", file, **options)


def test_encrypted_backup_is_restored_with_its_key(campaign_counts, backup, key_file, folders):
    restore(backup, key_file=key_file)
    assert counts() == campaign_counts
    assert (folders / "media" / "picture.png").stat().st_size == 150_000


def test_encrypted_backup_hides_its_content(backup):
    data = backup.read_bytes()
    assert data.startswith(FORMAT)
    assert b"manifest.json" not in data
    assert b"picture.png" not in data
    assert backup.stat().st_mode & 0o777 == 0o600


def test_undecryptable_backup_changes_nothing(backup, key_file, folders):
    other = folders / "other.key"
    other.write_bytes(base64.b64encode(OTHER_KEY))
    with pytest.raises(CommandError, match="cannot be decrypted: another key encrypted it"):
        restore(backup, key_file=other)
    with pytest.raises(CommandError, match=r"is encrypted\. Give its key with --key-file"):
        restore(backup)
    content = backup.read_bytes()
    for length in (10, HEADER_BYTES + SEALED_BYTES, len(content) - 1):
        backup.write_bytes(content[:length])
        with pytest.raises(CommandError):
            restore(backup, key_file=key_file)
    assert counts() == dict.fromkeys(counts(), 0)


def test_flipped_byte_in_a_backup_is_refused(backup):
    content = backup.read_bytes()
    for at in range(0, len(content), len(content) // 50):
        changed = bytearray(content)
        changed[at] ^= 0xFF
        backup.write_bytes(changed)
        with pytest.raises(BadBackupError), BackupFile(backup, KEY) as file:
            file.verify()


def test_plain_backup_in_place_of_an_encrypted_one_is_refused(db, folders, key_file):
    plain = folders / "backup.zip"
    write_backup(path=plain, now=NOW)
    with pytest.raises(CommandError, match="is not encrypted"):
        restore(plain, key_file=key_file)


def test_backup_is_decrypted_into_a_zip_archive(backup, key_file, folders):
    out = folders / "plain.zip"
    call_command("decrypt_backup", backup, key_file=key_file, out=out)
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
        assert "media/picture.png" in archive.namelist()
    assert out.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CommandError, match="File exists"):
        call_command("decrypt_backup", backup, key_file=key_file, out=out)


def test_damaged_backup_is_not_partially_decrypted(backup, key_file, folders):
    content = bytearray(backup.read_bytes())
    content[HEADER_BYTES + SEALED_BYTES + 9] ^= 1
    backup.write_bytes(content)
    out = folders / "plain.zip"
    with pytest.raises(CommandError, match="it was changed or cut short"):
        call_command("decrypt_backup", backup, key_file=key_file, out=out)
    assert not out.exists()


def test_missing_files_are_named(db, folders, key_file):
    missing = folders / "none"
    with pytest.raises(CommandError, match=f"{missing}: No such file"):
        call_command("backup", out=folders / "b", key_file=missing)
    with pytest.raises(CommandError, match=f"{missing}: No such file"):
        call_command("decrypt_backup", missing, key_file=key_file, out=folders / "b")
    assert not (folders / "b").exists()

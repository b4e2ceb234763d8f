"""The images that the sentences of a corpus describe, checked as an import and its preview do."""

from annotation.domain.corpus.decode_image import check_image, image_size
from annotation.domain.corpus.image_files import ImageFiles
from annotation.domain.corpus.images import image_digest
from schemes.contract.errors import ErrorSink, FileError
from schemes.contract.records import SentenceRecord
from schemes.contract.values import Image
from schemes.stated import is_resized, size_message


class CorpusImages:
    """Images by the names that sentences give. A bad file is refused once.

    With `rescale`, images may be resized copies of those that the corpus describes. With `only_heads`,
    files are not decoded, so that damaged pixels and other content remain unnoticed.
    """

    def __init__(
        self, files: ImageFiles, *, refuse: ErrorSink, rescale: bool, only_heads: bool = False
    ) -> None:
        self._files = files
        self._refuse = refuse
        self._rescale = rescale
        self._only_heads = only_heads
        # By file name. None stands for a bad file.
        self._images: dict[str, Image | None] = {}
        self._digests: dict[str, str | None] = {}

    def accepts(self, record: SentenceRecord, file: str) -> bool:
        """Return True if the image can be read and has the size that the record states."""
        image = self._image(record.image)
        if image is None or record.image_size is None:
            return image is not None
        message = size_message(record.image_size, image)
        if not message or (self._rescale and is_resized(record.image_size, image)):
            return True
        error = FileError(file, record.line or None, message, field=record.external_id)
        self._refuse(error)
        return False

    def digest(self, name: str) -> str | None:
        """Return the digest of a file's content, or None if it can't be decoded or is not there."""
        if self._only_heads or not self._files.has(name):
            return None
        if name not in self._digests:
            try:
                self._digests[name] = image_digest(name, self._files.read(name))
            except FileError:
                self._digests[name] = None
        return self._digests[name]

    def load(self, name: str, data: bytes) -> Image:
        """Return the image of a file. Raise FileError."""
        if self._only_heads:
            return Image(name, *image_size(name, data))
        return Image(name, *check_image(name, data))

    def _image(self, name: str) -> Image | None:
        """Return the image of a file, or None after an error, which is reported once."""
        if name not in self._images:
            try:
                self._images[name] = self.load(name, self._files.read(name))
            except FileError as error:
                self._images[name] = None
                self._refuse(error)
        return self._images[name]

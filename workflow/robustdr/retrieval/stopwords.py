"""Lists of stop words by name: bm25s's own, and Terrier's."""

from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.files import sha256

TERRIER = "terrier"
# share/stopword-list.txt of terrier-org/terrier-core at 3ceec7d (5.8), under the MPL 1.1: LICENSES/MPL-1.1.txt.
LIST = Path(__file__).with_name("terrier-stopwords.txt")
LIST_SHA256 = "e898516899c485739ca1fef24f6b2590ecf95cd06ba22e66587f64b079610999"


def stopwords(name: str | None) -> str | list[str]:
    """Return what bm25s takes as a list of stop words: the words, or the name of one of its own lists.

    Raises:
        UserError: Terrier's list is not the pinned file.
    """
    if name != TERRIER:
        return name or []
    if not LIST.is_file() or sha256(LIST) != LIST_SHA256:
        raise UserError(f"{LIST}: not Terrier's list of stop words (sha256 {LIST_SHA256}); restore the file")
    return LIST.read_text(encoding="utf-8").split()

"""Word vectors as an initial checkpoint: a sentence-transformers directory with one static embedding."""

from itertools import islice
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from robustdr.core.errors import UserError
from robustdr.core.files import atomic, sha256, write_text
from robustdr.core.seeds import digest
from robustdr.encoding.settings import CheckpointSettings
from robustdr.encoding.wordvectors import GLOVE_MODULE, PADDING, UNKNOWN, WORD, read_glove, read_text

CARD = """---
library_name: sentence-transformers
---
# {name}

{description}

Vectors of {words:,} words, and {hashed:,} random ones that all other words share: rankers choose by a hash of the word,
sentence-transformers takes the first. Source: {source}{digest}. Similarity: cosine.
"""


def _read_vectors(settings: CheckpointSettings) -> tuple[list[str], np.ndarray]:
    """Return the most frequent words that a tokenised text can contain, and their vectors, [words, dimension]."""
    match settings.source:
        case {"package": package, **further_keys} if package == GLOVE_MODULE and not further_keys:
            words, vectors = read_glove()
            rows = list(islice((row for row, word in enumerate(words) if WORD.fullmatch(word)), settings.words))
            return [words[row] for row in rows], vectors[rows]
        case {"path": path, **further_keys} if further_keys.keys() <= {"sha256"}:
            return read_text(Path(path), settings.source.get("sha256", ""), settings.words, WORD)
    raise UserError(
        f"checkpoint {settings.name}: source: {settings.source} holds no word vectors; "
        f"allowed: package {GLOVE_MODULE} alone, or a path, perhaps with sha256"
    )


def write_static(settings: CheckpointSettings, output: Path) -> None:
    """Write word vectors as a sentence-transformers directory.

    A text is read in lower case; everything but a–z and 0–9 separates words, as in OpenNIR. Row 0 is padding, of zeros;
    then come the words, most frequent first; then `hashed` vectors for unknown words, drawn from N(0, 0.5²). The
    tokenizer itself gives each unknown word the first of these.

    Args:
        settings: `words` is the number of most frequent words to keep.
        output: the directory to write.

    Raises:
        UserError: the source holds no word vectors, or see `wordvectors.read_text`.
    """
    words, vectors = _read_vectors(settings)
    dimension = vectors.shape[1]
    unknown = np.random.default_rng(digest("vectors of unknown words")).normal(0, 0.5, (settings.hashed, dimension))
    names = [PADDING, *words, *map(UNKNOWN.format, range(settings.hashed))]
    tokenizer = Tokenizer(models.WordLevel({name: row for row, name in enumerate(names)}, UNKNOWN.format(0)))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Lowercase(), normalizers.Replace(Regex("[^a-z0-9]+"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    rows = np.concatenate([np.zeros((1, dimension)), vectors, unknown]).astype(np.float32)
    model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, rows)], device="cpu", similarity_fn_name="cosine")
    card_fields = {name: getattr(settings, name) for name in ("name", "description", "source", "hashed")}
    pinned = "package" in settings.source or "sha256" in settings.source
    digest_note = "" if pinned else f" (sha256 {sha256(Path(settings.source['path']))})"
    with atomic(output) as temporary:
        model.save(str(temporary), create_model_card=False, safe_serialization=True)
        write_text(temporary / "README.md", CARD.format(**card_fields, words=len(words), digest=digest_note))

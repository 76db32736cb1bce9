"""CharacterBERT: a BERT that reads words by their characters (El Boukkouri et al. 2020)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from torch import nn
from transformers import AutoConfig, AutoModel, AutoTokenizer, BertConfig, BertModel, PreTrainedTokenizerFast

# Ids of characters: padding, the 256 bytes of UTF-8 (byte + 1), and symbols that stand for no byte.
PAD, CLS, SEP, BEGIN, END, FILL, MASK = 0, 257, 258, 259, 260, 261, 262
CHARACTERS = 263
WORD_LENGTH = 50  # characters of a word: its begin, at most 48 bytes, its end, and fill
SPECIAL = {"[PAD]": PAD, "[CLS]": CLS, "[SEP]": SEP, "[MASK]": MASK}
FILTERS = (32, 32, 64, 128, 256, 512, 1024)  # of width 1, 2, …: the published sizes
HIGHWAYS = 2


class CharacterBertConfig(BertConfig):
    """A BERT's configuration with its character part's: filters of each width 1, 2, …, dimension of a character."""

    model_type = "character_bert"

    def __init__(self, filters: Sequence[int] = FILTERS, character_dimension: int = 16, **bert: Any):
        self.filters, self.character_dimension = list(filters), character_dimension
        super().__init__(**{**bert, "vocab_size": CHARACTERS, "pad_token_id": PAD})


class CharacterEmbedding(nn.Module):
    """Vectors of words from their characters' vectors x_1 … x_50 (El Boukkouri et al. 2020, section 3.1).

    A filter f of width w gives h_f = max(0, max_j (b_f + Σ_i W_f,i · x_{j+i}, i < w)); the maximum includes the fill
    characters of a word. Two highway layers follow, h ← g h + (1 − g) max(0, A h + a) with g = σ(G h + c), A above G in
    one matrix, and a projection to the dimension of the transformer.
    """

    def __init__(self, config: CharacterBertConfig):
        super().__init__()
        size = sum(config.filters)
        self.characters = nn.Embedding(CHARACTERS, config.character_dimension, padding_idx=PAD)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(config.character_dimension, filters, width) for width, filters in enumerate(config.filters, 1)
        )
        self.highways = nn.ModuleList(nn.Linear(size, 2 * size) for _ in range(HIGHWAYS))
        for name, bias in self.highways.named_parameters():
            if name.endswith("bias"):
                nn.init.ones_(bias[size:])  # at first, h passes unchanged
        self.projection = nn.Linear(size, config.hidden_size)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return vectors of words, [..., dimension], from ids of characters, [..., 50]; each word is computed once."""
        words, places = torch.unique(ids.flatten(0, -2), dim=0, return_inverse=True)  # [words, 50], [all words]
        vectors = self.projection(self.features(words))
        return nn.functional.embedding(places, vectors).view(*ids.shape[:-1], -1)

    def features(self, words: torch.Tensor) -> torch.Tensor:
        """Return the input of the projection, [words, filters], from ids of characters, [words, 50]."""
        # After the longest word all windows are equal: one of each width is enough.
        longest = int(((words != FILL) & (words != PAD)).any(0).sum())
        x = self.characters(words[:, : longest + len(self.convolutions)]).transpose(1, 2)  # [words, character, place]
        h = torch.cat([convolution(x).amax(2) for convolution in self.convolutions], 1).relu()  # [words, filters]
        for layer in self.highways:
            new, gate = layer(h).chunk(2, 1)
            gate = gate.sigmoid()
            h = gate * h + (1 - gate) * new.relu()
        return h


class CharacterBertModel(BertModel):
    """A BERT whose word embeddings are computed from characters.

    Padded words are masked in the attention, so a text's vector does not depend on its batch. The code that trained the
    papers' CharacterBERT (CharacterBERT-DR) passes no mask and attends to them.
    """

    config_class = CharacterBertConfig

    def __init__(self, config: CharacterBertConfig, add_pooling_layer: bool = True):
        super().__init__(config, add_pooling_layer)
        self.set_input_embeddings(CharacterEmbedding(config))

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None, **options: Any) -> Any:
        """As a BERT's: `input_ids` are [texts, words, 50], `attention_mask` is [texts, words]."""
        words = self.get_input_embeddings()(input_ids)
        return super().forward(inputs_embeds=words, attention_mask=attention_mask, **options)


class CharacterTokenizer(PreTrainedTokenizerFast):
    """Words of BERT's uncased basic tokenizer, without word pieces, as ids of characters.

    Its tokenizer.json gives the ids of a text's characters in a row, with a begin before each word, so a comparison of
    texts by tokens sees every changed letter and every moved space.
    """

    def __call__(self, text: Any, max_length: int | None = None, **unused: Any) -> Any:  # type: ignore[override]
        """Return `input_ids` of texts, [words, 50] each, int16; a text is cut to `max_length` words, and [SEP] stays.

        The first word is [CLS], the last one is [SEP]. Of a longer word the first 48 bytes are read.
        """
        words_of_texts = [_words(np.array(encoding.ids)) for encoding in self.backend_tokenizer.encode_batch(text)]
        if max_length is not None:
            words_of_texts = [np.delete(rows, slice(max_length - 1, -1), axis=0) for rows in words_of_texts]
        return {"input_ids": words_of_texts}


def _words(ids: np.ndarray) -> np.ndarray:
    """Return the words of a text, [words, 50], from tokenizer.json's ids; there a special id is a word."""
    ids = np.insert(ids, np.flatnonzero(np.isin(ids, list(SPECIAL.values()))), BEGIN)
    starts = np.flatnonzero(ids == BEGIN)
    lengths = np.diff(starts, append=len(ids))
    word = np.repeat(np.arange(len(starts)), lengths)
    place = np.arange(len(ids)) - starts[word]
    rows = np.full((len(starts), WORD_LENGTH), FILL, dtype=np.int16)
    in_range = place < WORD_LENGTH - 1
    rows[word[in_range], place[in_range]] = ids[in_range]
    rows[np.arange(len(starts)), np.minimum(lengths, WORD_LENGTH - 1)] = END
    return rows


def character_tokenizer() -> CharacterTokenizer:
    """Return the tokenizer of every CharacterBERT; it has nothing to learn."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    unprintable = sorted(set(range(256)) - set(printable))
    # The letters that byte-level tokenizers use for bytes; the space before each word becomes its begin.
    letters = {byte: chr(byte) for byte in printable} | {byte: chr(256 + n) for n, byte in enumerate(unprintable)}
    names = {byte + 1: letter for byte, letter in letters.items()}
    names |= {BEGIN: letters[ord(" ")], ord(" ") + 1: "[SPACE]", END: "[END]", FILL: "[FILL]"}
    vocabulary = {name: number for number, name in names.items()} | SPECIAL
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.BertPreTokenizer(), pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)]
    )
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, [("[CLS]", CLS), ("[SEP]", SEP)])
    tokens = {f"{name.strip('[]').lower()}_token": name for name in SPECIAL}
    return CharacterTokenizer(tokenizer_object=tokenizer, **tokens)


AutoConfig.register(CharacterBertConfig.model_type, CharacterBertConfig)
AutoModel.register(CharacterBertConfig, CharacterBertModel)
AutoTokenizer.register(CharacterBertConfig, CharacterTokenizer)

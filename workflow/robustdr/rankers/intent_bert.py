"""intent's reranker: monoBERT, and one more layer that gives a vector of the query."""

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from robustdr.core.errors import UserError
from robustdr.rankers.intent_bert_settings import LAYER, Settings
from robustdr.rankers.mono_bert import MonoBert
from robustdr.rankers.ranker import Pair, Tokens


class IntentBert(MonoBert):
    """A cross-encoder with a layer that represents the query while it is trained; scores are monoBERT's.

    The vector is that of [CLS] after one more encoder layer over the last hidden states (intent, Eq. 9); if the
    directory lacks this layer, it is drawn. The paper's hidden states are those of a pair (Eq. 5), but it does not say
    of which passage. Here it is the query's positive one. All texts of an intent share their positives, so the passage
    alone may reveal the intent; `reads: query` leaves it out.

    Its directory is monoBERT's plus the layer.
    """

    def __init__(self, folder: Path, settings: Settings):
        super().__init__(folder, settings)
        self.reads = settings.reads
        width, heads = self.model.config.hidden_size, self.model.config.num_attention_heads
        self.query_layer = torch.nn.TransformerEncoderLayer(
            width, heads, 4 * width, activation="gelu", layer_norm_eps=1e-12, batch_first=True
        )
        if (folder / LAYER).is_file():
            try:
                self.query_layer.load_state_dict(load_file(folder / LAYER))
            except (SafetensorError, RuntimeError) as error:
                raise UserError(f"{folder / LAYER}: not this model's layer ({error}); train the ranker again") from None

    def drop_out(self, probability: float) -> None:
        super().drop_out(probability)
        self.query_layer.self_attn.dropout = probability  # of the attention weights, which have no dropout layer

    def represent(self, pairs: Sequence[Pair], query_length: int, passage_length: int, seed: int = 0) -> torch.Tensor:
        if self.reads == "query":
            pairs = [(query, "") for query, _ in pairs]
        return self.in_groups(self.query_vectors, self.tokenise(pairs, query_length, passage_length), seed)

    def query_vectors(self, tokens: Sequence[Tokens]) -> torch.Tensor:
        """Return vectors of pairs that go through the model together, [pairs, d]; padding changes none of them."""
        features = self.features(tokens)
        hidden = self.model.base_model(**features).last_hidden_state  # [pairs, tokens, d]
        return self.query_layer(hidden, src_key_padding_mask=features["attention_mask"] == 0)[:, 0]

    def save(self, folder: Path) -> None:
        super().save(folder)
        save_file(self.query_layer.state_dict(), folder / LAYER)

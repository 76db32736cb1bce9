"""monoBERT: a transformer reads query and passage together (Nogueira and Cho 2019)."""

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification

from robustdr.core.errors import UserError
from robustdr.encoding.batching import pad
from robustdr.rankers.mono_bert_settings import Settings
from robustdr.rankers.pretrained import configuration, exact, pieces, pretrained
from robustdr.rankers.ranker import Pair, Ranker, Tokens
from robustdr.rankers.settings import TransformerSettings

EXPECTED = "a dual encoder's transformer at its root, or a CrossEncoder of sentence-transformers"


class MonoBert(Ranker):
    """A cross-encoder: a classifier over the vector of [CLS] in `[CLS] query [SEP] passage [SEP]`.

    score = w · tanh(W h + c) + b, where h is the last layer's vector of [CLS] and W, c are the transformer's pooler, if
    it has one. A directory with two labels (the paper's) is used unchanged: the score is the log-softmax of the last
    one, log p(relevant | query, passage). From a dual encoder there is one label, whose w and b are drawn.

    Query and passage are each cut to their own number of word pieces, without special tokens: the paper cuts the query
    to 64 with them and the pair to 512; pygaggle cuts the longer of both. OpenNIR splits a passage into as many chunks
    as the longest passage of the batch needs and averages over them, so that scores depend on the batch; here a passage
    is one sequence and padding is masked.

    Its directory is a `CrossEncoder` of sentence-transformers, whose scores are the logits.
    """

    def __init__(self, folder: Path, settings: Settings | TransformerSettings):
        super().__init__(settings)
        config = configuration(folder, EXPECTED, lambda config: not config.is_encoder_decoder)
        if not any(name.endswith("ForSequenceClassification") for name in config.architectures or ()):
            config.num_labels = 1
        if config.num_labels > 2:
            raise UserError(f"{folder}: {config.num_labels} labels; expected: {EXPECTED}, of 1 or 2 labels")
        config.sentence_transformers = {"activation_fn": "torch.nn.modules.linear.Identity"}
        drawn = ("classifier.", "pooler.", "bert.pooler.") if config.architectures else ()
        kind = AutoModelForSequenceClassification
        self.model, self.tokenizer = pretrained(kind, folder, config, EXPECTED, drawn)
        exact(self.model.classifier)
        self.typed = "token_type_ids" in self.tokenizer.model_input_names

    def tokenise(self, pairs: Sequence[Pair], query_length: int, passage_length: int) -> list[Tokens]:
        """Return for each pair the tokens of type 0 and those of type 1, with special tokens."""
        longest = query_length + passage_length + self.tokenizer.num_special_tokens_to_add(pair=True)
        if longest > (limit := self.model.config.max_position_embeddings):
            raise UserError(
                f"mono_bert: query_length {query_length} and passage_length {passage_length} make pairs of {longest} "
                f"tokens with special tokens; this model reads at most {limit}"
            )
        queries = pieces(self.tokenizer, (query for query, _ in pairs), query_length)
        passages = pieces(self.tokenizer, (passage for _, passage in pairs), passage_length)
        join = self.tokenizer.backend_tokenizer.post_process
        tokens: list[Tokens] = []
        for query, passage in pairs:
            joined = join(queries[query], passages[passage])
            first = joined.type_ids.count(0)
            tokens.append((joined.ids[:first], joined.ids[first:]))
        return tokens

    def features(self, tokens: Sequence[Tokens]) -> dict[str, torch.Tensor]:
        """Return the transformer's inputs for pairs, padded: [pairs, tokens] each."""
        features = pad([[*first, *second] for first, second in tokens], self.tokenizer.pad_token_id)
        if self.typed:
            types = [[0] * len(first) + [1] * len(second) for first, second in tokens]
            features["token_type_ids"] = pad(types, 0)["input_ids"]
        return {name: ids.to(self.device) for name, ids in features.items()}

    def forward(self, tokens: Sequence[Tokens]) -> torch.Tensor:
        logits = self.model(**self.features(tokens)).logits  # [pairs, labels]
        return logits[:, 0] if logits.shape[1] == 1 else logits.log_softmax(-1)[:, -1]

    def save(self, folder: Path) -> None:
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        self.describe(folder)

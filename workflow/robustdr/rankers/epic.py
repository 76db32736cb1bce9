"""EPIC: queries and passages as vectors over the vocabulary, of how much each says (MacAvaney et al. 2020)."""

from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import load_model, save_model
from transformers import BertForMaskedLM

from robustdr.encoding.batching import pad
from robustdr.rankers.epic_settings import Settings
from robustdr.rankers.pretrained import configuration, pieces, pretrained
from robustdr.rankers.ranker import Pair, Ranker, Tokens, saved

EXPECTED = "a dual encoder of the form encoder over BERT, with or without its masked language model's head"


def soften(x: torch.Tensor) -> torch.Tensor:
    """Return f(x) = ln(1 + softplus(x)), element by element."""
    return F.softplus(x).log1p()


class Epic(Ranker):
    """The dot product of a query and a passage, both vectors over the vocabulary and each encoded by itself.

    With f(x) = ln(1 + softplus(x)) and h the last layer's vectors of one BERT, which reads queries as segment 0 and
    passages as segment 1:

    query:    φ(q)_t = Σ f(w_q · h_i + b_q) over the positions i of token t; a token that occurs twice adds up.
    passage:  φ(p)_t = sigmoid(w_c · h_[CLS] + b_c) · max_j f(head(h_j)_t) · f(w_p · h_j + b_p) over the positions j;
    its terms are expanded by the head, that of a masked language model.
    score:    Σ_t φ(q)_t · φ(p)_t.

    Positions are those of word pieces, without [CLS], [SEP] and padding; a text without word pieces has the vector 0.
    The released model encodes every query at the length of 500. Stored passage vectors, which are pruned there, are not
    needed: φ(p) is computed only for the query's own tokens.

    A checkpoint of a dual encoder has no head. Then head(h)_t = e_t · (W h + c) + b_t, where e_t is the word embedding
    and W starts as the identity, c and b as 0; a checkpoint with a head, e_t · LayerNorm(gelu(W h + c)) + b_t, keeps
    it. w_q, w_p and w_c, with their biases, are drawn.
    """

    def __init__(self, folder: Path, settings: Settings):
        super().__init__(settings)
        config = configuration(folder, EXPECTED, lambda config: config.model_type == "bert")
        model, self.tokenizer = pretrained(BertForMaskedLM, folder, config, EXPECTED, ("cls.",))
        with safe_open(folder / "model.safetensors", "pt") as weights:
            headed = any("predictions.transform.dense" in name for name in weights.keys())  # noqa: SIM118, no mapping
        self.bert, self.cls = model.bert, model.cls
        if not headed:
            transform = self.cls.predictions.transform = torch.nn.Linear(config.hidden_size, config.hidden_size)
            torch.nn.init.eye_(transform.weight)
            torch.nn.init.zeros_(transform.bias)
            torch.nn.init.zeros_(self.cls.predictions.decoder.bias)
        self.query_salience = torch.nn.Linear(config.hidden_size, 1)
        self.passage_salience = torch.nn.Linear(config.hidden_size, 1)
        self.quality = torch.nn.Linear(config.hidden_size, 1)
        self.dropout = torch.nn.Dropout(config.hidden_dropout_prob)
        if saved(folder):
            load_model(self, folder / "model.safetensors")

    def tokenise(self, pairs: Sequence[Pair], query_length: int, passage_length: int) -> list[Tokens]:
        """Return for each pair the tokens of the query and those of the passage, each with special tokens."""
        queries = pieces(self.tokenizer, (query for query, _ in pairs), query_length)
        passages = pieces(self.tokenizer, (passage for _, passage in pairs), passage_length)
        add_special_tokens = self.tokenizer.backend_tokenizer.post_process
        tokens = [{text: add_special_tokens(cut).ids for text, cut in texts.items()} for texts in (queries, passages)]
        return [(tokens[0][query], tokens[1][passage]) for query, passage in pairs]

    def encode(self, texts: Sequence[Sequence[int]], segment: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return token ids, a mask of word pieces, both [texts, tokens], and vectors, [texts, tokens, d]."""
        padded = pad(texts, self.tokenizer.pad_token_id)
        ids, mask = (features.to(self.device) for features in padded.values())
        hidden = self.bert(input_ids=ids, attention_mask=mask, token_type_ids=mask * segment).last_hidden_state
        pieces = mask.cumsum(1).lt(mask.sum(1, keepdim=True)) & mask.bool()  # neither [SEP], which is last, nor padding
        pieces[:, 0] = False
        return ids, pieces, self.dropout(hidden)

    def forward(self, tokens: Sequence[Tokens]) -> torch.Tensor:
        queries = list(dict.fromkeys(tuple(query) for query, _ in tokens))
        passages = list(dict.fromkeys(tuple(passage) for _, passage in tokens))
        ids, query_pieces, query_hidden = self.encode(queries, 0)
        _, passage_pieces, passage_hidden = self.encode(passages, 1)
        query_weights = soften(self.query_salience(query_hidden).squeeze(-1)) * query_pieces  # [queries, q]
        salience = soften(self.passage_salience(passage_hidden).squeeze(-1)) * passage_pieces  # [passages, p]
        quality = self.quality(passage_hidden[:, 0]).squeeze(-1).sigmoid()  # [passages]
        head = self.cls.predictions
        expanded = head.transform(passage_hidden)  # [passages, p, d]

        of_query = torch.tensor([queries.index(tuple(query)) for query, _ in tokens], device=self.device)
        of_passage = torch.tensor([passages.index(tuple(passage)) for _, passage in tokens], device=self.device)
        terms = ids[of_query]  # [pairs, q]
        logits = torch.einsum("npd,nqd->npq", expanded[of_passage], head.decoder.weight[terms])
        weights = soften(logits + head.decoder.bias[terms].unsqueeze(1)) * salience[of_passage].unsqueeze(-1)
        return (query_weights[of_query] * weights.amax(1)).sum(1) * quality[of_passage]

    def save(self, folder: Path) -> None:
        save_model(self, str(folder / "model.safetensors"), metadata={"format": "pt"})
        self.bert.config.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        self.describe(folder)

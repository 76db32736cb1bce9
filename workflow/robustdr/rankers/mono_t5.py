"""monoT5: a sequence-to-sequence model says whether a passage is relevant (Nogueira et al. 2020)."""

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import T5ForConditionalGeneration
from transformers.models.t5.modeling_t5 import T5Attention

from robustdr.core.errors import UserError
from robustdr.encoding.batching import pad
from robustdr.rankers.mono_t5_settings import Settings
from robustdr.rankers.pretrained import configuration, pieces, pretrained
from robustdr.rankers.ranker import Pair, Ranker, Tokens

EXPECTED = "a T5 checkpoint of the form seq2seq"
QUERY, PASSAGE, ASK = "Query:", "Document:", "Relevant:"
WORDS = ("true", "false")


class MonoT5(Ranker):
    """The log-probability of `true`, against `false`, as the first word that follows `Query: q Document: d Relevant:`.

    score = log softmax(z_true, z_false)_true, where z_t = e_t · h is the logit of token t, h the decoder's vector at
    its first step and e_t the output embedding; h is scaled by 1 / √d in the models that scale it. Only these two
    logits are computed.

    Query and passage are each cut to their own number of word pieces before `Relevant:` and the end of the sequence are
    appended, so both of these always stay, and only masked padding follows them. pygaggle cuts the whole prompt, so a
    long passage loses `Relevant:`; pyterrier_t5 appends `Relevant:` after the padding of shorter texts, so that scores
    depend on the batch.
    """

    def __init__(self, folder: Path, settings: Settings):
        super().__init__(settings)
        config = configuration(folder, EXPECTED, lambda config: config.model_type == "t5")
        self.model, self.tokenizer = pretrained(T5ForConditionalGeneration, folder, config, EXPECTED)
        self.prompt = {
            text: encoding.ids for text, encoding in pieces(self.tokenizer, (QUERY, PASSAGE, ASK, *WORDS), 16).items()
        }
        for word in WORDS:
            if len(self.prompt[word]) != 1 or self.prompt[word] == [self.tokenizer.unk_token_id]:
                raise UserError(f"{folder}: its tokenizer has no piece for {word!r}; expected: {EXPECTED}")

    def tokenise(self, pairs: Sequence[Pair], query_length: int, passage_length: int) -> list[Tokens]:
        """Return the prompt of each pair."""
        queries = pieces(self.tokenizer, (query for query, _ in pairs), query_length)
        passages = pieces(self.tokenizer, (passage for _, passage in pairs), passage_length)
        before, middle = self.prompt[QUERY], self.prompt[PASSAGE]
        after = [*self.prompt[ASK], self.tokenizer.eos_token_id]
        return [([*before, *queries[query].ids, *middle, *passages[passage].ids, *after],) for query, passage in pairs]

    def forward(self, tokens: Sequence[Tokens]) -> torch.Tensor:
        padded = pad([ids for (ids,) in tokens], self.tokenizer.pad_token_id)
        ids, mask = (features.to(self.device) for features in padded.values())
        encoded = self.model.encoder(input_ids=ids, attention_mask=mask).last_hidden_state  # [pairs, tokens, d]
        start = torch.full_like(ids[:, :1], self.model.config.decoder_start_token_id)
        hidden = self.model.decoder(
            input_ids=start, encoder_hidden_states=encoded, encoder_attention_mask=mask, use_cache=False
        ).last_hidden_state[:, 0]  # [pairs, d]
        if self.model.config.scale_decoder_outputs:
            hidden = hidden * self.model.config.d_model**-0.5
        words = torch.tensor([*self.prompt["true"], *self.prompt["false"]], device=self.device)
        weights = self.model.lm_head.weight[words]
        with torch.autocast(hidden.device.type, enabled=False):  # logits in bfloat16 have 8 bits and tie
            logits = hidden.to(weights.dtype) @ weights.T  # [pairs, 2]
        return logits.log_softmax(-1)[:, 0]

    def drop_out(self, probability: float) -> None:
        super().drop_out(probability)
        for module in self.modules():
            if isinstance(module, T5Attention):
                module.dropout = probability

    def save(self, folder: Path) -> None:
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        self.describe(folder)

"""An encoder as pre-training changes it; see `training.loop`."""

from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import NamedTuple

import torch

from robustdr.core.seeds import digest
from robustdr.encoding.directory import QUERY
from robustdr.encoding.encoder import Encoder, drop_out
from robustdr.encoding.hardware import autocast
from robustdr.encoding.source import locate
from robustdr.pretraining.feed import Feed, Passages, Step
from robustdr.pretraining.masks import MaskedPassage
from robustdr.pretraining.model import Pretrained
from robustdr.pretraining.settings import PretrainingSettings as Settings
from robustdr.pretraining.vocabulary import Vocabulary
from robustdr.training import distributed
from robustdr.training.feed import Files
from robustdr.training.schedule import learning_rate
from robustdr.training.state import save

TITLE = "A dual encoder's initial checkpoint"
USE = "Pre-trained on texts of at most {length} tokens; its head and its decoder are left out."


class Share(NamedTuple):
    """One share of a batch: its number, and masked passages."""

    number: int
    masked: list[MaskedPassage]


@dataclass
class Student:
    """An encoder with the head and decoder of pre-training."""

    settings: Settings
    seed: int
    model: Pretrained

    @classmethod
    def feed(cls, settings: Settings, seed: int, data: Path, initial: Path, files: Files) -> Feed:
        """The steps of a pre-training; prints the shares of words misspelled and of pieces to recover.

        Args:
            initial: the checkpoint whose tokenizer is used. files: `tokens`: the folder of the corpus's pieces.

        Raises:
            UserError: see `Vocabulary`, `Passages.open` and `Feed`.
        """
        (tokens,) = files["tokens"]
        feed = Feed(Passages.open(tokens, Vocabulary(initial), settings), settings, seed)
        shares = "; ".join(f"{share_name}: {share:.1%}" for share_name, share in feed.shares().items())
        print(f"{settings.system}: {len(feed.examples)} passages; {shares}")
        return feed

    @classmethod
    def load(cls, settings: Settings, seed: int, examples: Passages, initial: Path, files: Files) -> "Student":
        """Load the encoder and its head, add the decoder, and train head and decoder for `frozen_steps`.

        Raises:
            UserError: see `locate`, `Head.load` and `Pretrained.add_decoder`.
        """
        encoder = Encoder(initial, settings.precision, training=True)
        if settings.freeze_word_embeddings:
            encoder.model.get_input_embeddings().requires_grad_(False)
        student = cls(settings, seed, Pretrained(encoder, examples.ordinary))
        if settings.head:
            student.model.head.load(locate(settings.head) / "model.safetensors", examples.ordinary)
        if settings.bottleneck:
            student.model.add_decoder(settings.decoder_layers, shared=settings.variant == "released")
        student.fit_new(Feed(examples, settings, seed))
        student.model.train()
        drop_out(student.model, settings.dropout)
        return student

    def fit_new(self, feed: Feed) -> None:
        """Train only head and decoder, for `frozen_steps` steps; an untrained decoder would give the encoder noise."""
        model, settings, steps = self.model.eval(), self.settings, self.settings.frozen_steps
        learns = [p for p in model.encoder.parameters() if p.requires_grad]
        model.encoder.requires_grad_(False)
        new = list(self.parameters.values())
        optimiser = torch.optim.AdamW(new, settings.frozen_learning_rate, weight_decay=0.0)
        for step, batch in enumerate(feed.run(0, steps)):
            rate = learning_rate(step, steps, settings.frozen_learning_rate, settings.warmup, settings.decay)
            optimiser.param_groups[0]["lr"] = rate
            shares = self.ready(batch)
            for share in shares:
                with autocast(settings.precision, self.device):
                    loss = torch.stack(list(model(share.masked).values())).sum() / len(shares)
                loss.backward()
            distributed.average_gradients(new)
            torch.nn.utils.clip_grad_norm_(new, settings.max_gradient_norm or inf)
            optimiser.step()
            optimiser.zero_grad()
        for parameter in learns:
            parameter.requires_grad_(True)

    @property
    def use(self) -> str:
        return USE

    @property
    def device(self) -> torch.device:
        return self.model.read_by.device

    @property
    def models(self) -> list[torch.nn.Module]:
        return [self.model]

    @property
    def parameters(self) -> dict[str, torch.nn.Parameter]:
        """The parameters in training, by name; parameters that both sides share appear once."""
        return {name: p for name, p in self.model.named_parameters() if p.requires_grad}

    @property
    def rates(self) -> dict[str, float]:
        """The highest learning rate of each parameter."""
        return dict.fromkeys(self.parameters, self.settings.learning_rate)

    def ready(self, batch: Step) -> list[Share]:
        """The passages of each share of this process."""
        size = self.settings.batch_size
        shares = enumerate(distributed.shares(self.settings.devices))
        return [Share(number, batch.masked[position * size : (position + 1) * size]) for position, number in shares]

    def terms(self, share: Share, step: int) -> dict[str, torch.Tensor]:
        """The terms of the loss, by name, on the passages of one share."""
        torch.manual_seed(digest(self.seed, "dropout", step, share.number))
        with autocast(self.settings.precision, self.device):
            return self.model(share.masked)

    def backward(self, loss: torch.Tensor) -> None:
        """Add to the gradients of all parameters."""
        loss.backward()

    def save(self, initial: Path, output: Path, card: str) -> None:
        """Write only the encoder, in the form of the initial checkpoint."""
        save({QUERY: self.model.read_by}, initial, output, card, separate=False)

"""Training of rankers: scores for a batch."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel

from robustdr import losses
from robustdr.collections.reading import read_corpus
from robustdr.core.errors import UserError
from robustdr.core.files import atomic, write_json, write_text
from robustdr.core.seeds import digest
from robustdr.encoding.hardware import sent
from robustdr.losses.batch import Batch
from robustdr.rankers.ranker import Ranker, load, saved
from robustdr.training import distributed, scores
from robustdr.training.data import Examples
from robustdr.training.feed import Files, Step
from robustdr.training.queries import LearnsFromQueries
from robustdr.training.settings import RankerTraining as Settings

TITLE = "A ranking model"
USE = """It scores pairs of a query (at most {query_length} tokens) and a passage (at most {passage_length}
tokens):
`robustdr rerank --model path/to/this/directory --run in.trec --queries q.tsv --corpus c.jsonl -o out.trec`."""


@dataclass(frozen=True)
class Ready:
    """What a batch is computed from.

    Attributes:
        share: number of the share of the batch. per_query: passages of each text.
        pairs: texts and their passages by field of the batch, for vectors alone.
        tokens: of the pairs. teacher_scores: [B, 1 + n], on the CPU.
    """

    share: int
    per_query: int
    pairs: dict[str, list[tuple[str, str]]]
    tokens: dict[str, list[Any]]
    teacher_scores: torch.Tensor | None


@dataclass
class Student(LearnsFromQueries):
    """A ranker in training. It scores each query only with the passages of its own group."""

    settings: Settings
    seed: int
    ranker: Ranker
    teacher: scores.Scores | None = None

    @classmethod
    def load(cls, settings: Settings, seed: int, examples: Examples, initial: Path, files: Files) -> "Student":
        """Load the ranker.

        Args:
            seed: of dropout and of weights that the initial model lacks. initial: the model directory to start from.
            files: `corpus`: for rankers that count words; `teacher_scores`: for the training file's passages.

        Raises:
            UserError: the loss compares vectors of the whole batch, and there are fewer processes than devices. See
                also `rankers.ranker.load` and `scores.needed`.
        """
        if "vectors" in losses.check(**settings.loss) and len(distributed.shares(settings.devices)) > 1:
            raise UserError(
                f"systems.{settings.system}: the loss {settings.loss['name']} needs a process for each of "
                f"{settings.devices} devices; here are {distributed.processes()}"
            )
        ranker = load(**settings.ranker, folder=initial, precision=settings.precision, training=True, seed=seed)
        ranker.drop_out(settings.dropout)
        if settings.freeze_word_embeddings:
            for module in ranker.modules():
                if isinstance(module, PreTrainedModel):
                    module.get_input_embeddings().requires_grad_(False)
        if ranker.settings.counts:
            ranker.count(text for _, text in read_corpus(files["corpus"][0]))
        return cls(settings, seed, ranker, scores.needed(settings, files, examples))

    @property
    def use(self) -> str:
        return USE

    @property
    def device(self) -> torch.device:
        return self.ranker.device

    @property
    def models(self) -> list[torch.nn.Module]:
        return [self.ranker]

    @property
    def parameters(self) -> dict[str, torch.nn.Parameter]:
        """The parameters in training, by name."""
        return {name: p for name, p in self.ranker.named_parameters() if p.requires_grad}

    @property
    def rates(self) -> dict[str, float]:
        """The highest learning rate of each parameter: `new_layers_learning_rate` outside pre-trained transformers."""
        transformers = (module for module in self.ranker.modules() if isinstance(module, PreTrainedModel))
        pretrained = {id(p) for transformer in transformers for p in transformer.base_model.parameters()}
        new = self.settings.new_layers_learning_rate or self.settings.learning_rate
        return super().rates | {name: new for name, p in self.parameters.items() if id(p) not in pretrained}

    @property
    def lengths(self) -> tuple[int, int]:
        return self.settings.query_length, self.settings.passage_length

    def ready(self, step: Step) -> list[Ready]:
        """By share of this process: the pairs of its queries with their passages, and what a teacher says of them."""
        return [self.read_fields(step, self.loss[1], share) for share in distributed.shares(self.settings.devices)]

    def read_fields(self, step: Step, needs: set[str], share: int) -> Ready:
        """The pairs of one share of a batch, for the fields in `needs`."""
        size = self.settings.batch_size
        mine = share * size, (share + 1) * size
        groups = [
            [passage.read_passage().joined() for passage in step.items_of("passages", i, i + 1)] for i in range(*mine)
        ]
        pairs: dict[str, list[tuple[str, str]]] = {}
        for name in ("query", "variation", "variations"):
            if name in needs:
                texts = step.items_of(name, *mine)
                texts_per_query = len(texts) // size
                pairs[name] = [
                    (text, passage)
                    for position, text in enumerate(texts)
                    for passage in groups[position // texts_per_query]
                ]
        tokens: dict[str, list[Any]] = {
            name: self.ranker.tokenise(field_pairs, *self.lengths) for name, field_pairs in pairs.items()
        }
        taught = None
        if self.teacher is not None:
            taught = scores.of_groups(self.teacher, step.items_of("examples", *mine), step.items_of("passages", *mine))
        return Ready(share, len(groups[0]), pairs if "vectors" in needs else {}, tokens, taught)

    def batch(self, ready: Ready, step: int) -> Batch:
        """The batch of a pass: scores of the queries of one share.

        Vectors of queries, if the loss reads them, are those of all processes.
        """
        batch, per_query = Batch(), ready.per_query
        for name, tokens in ready.tokens.items():
            seeds = self.seed, "dropout", step, ready.share, name
            values_of_fields = {
                f"{name}_scores": self.ranker.score(tokens, digest(*seeds)).unflatten(0, (-1, per_query))
            }
            if ready.pairs:  # vectors of each text paired with the positive
                positive = ready.pairs[name][::per_query]
                values_of_fields[name] = distributed.gather(
                    self.ranker.represent(positive, *self.lengths, digest(*seeds, "vectors"))
                )
            texts_per_query = len(tokens) // per_query // self.settings.batch_size
            for field, values in values_of_fields.items():
                setattr(batch, field, values.unflatten(0, (-1, texts_per_query)) if name == "variations" else values)
        if ready.teacher_scores is not None:
            batch.teacher_scores = sent(ready.teacher_scores, self.device)
        return batch

    def backward(self, loss: torch.Tensor) -> None:
        """Add to the gradients of all parameters: the loss is a mean over the queries of one share."""
        loss.backward()

    def save(self, initial: Path, output: Path, card: str) -> None:
        """Write the ranker's directory, with ranker.json and a card."""
        with atomic(output) as temporary:
            temporary.mkdir()
            self.ranker.save(temporary)
            lengths = {name: getattr(self.settings, name) for name in ("query_length", "passage_length")}
            write_json(temporary / "ranker.json", {**saved(temporary), "lengths": lengths})
            write_text(temporary / "README.md", card)

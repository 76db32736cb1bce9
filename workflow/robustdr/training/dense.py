"""Training of dual encoders: vectors for a batch, and gradients."""

from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path

import torch

from robustdr import losses
from robustdr.core.errors import UserError
from robustdr.core.seeds import digest, generator
from robustdr.encoding.character import CharacterBertModel
from robustdr.encoding.directory import DOCUMENT, QUERY, is_router
from robustdr.encoding.encoder import Encoder, drop_out
from robustdr.encoding.hardware import Precision, sent
from robustdr.losses.batch import Batch
from robustdr.retrieval.embeddings import PassageVectors
from robustdr.training import distributed, scores
from robustdr.training.data import Examples
from robustdr.training.feed import Files, Step
from robustdr.training.queries import LearnsFromQueries
from robustdr.training.settings import DenseTraining as Settings
from robustdr.training.state import save

VECTORS = ("passages", "query", "variation", "variations", "teacher_query", "teacher_passages", "anchor")  # of a batch
TITLE = "A dual encoder"
USE = """Score: the model's similarity of the query vector (at
most {query_length} tokens) and the passage vector (at most {passage_length} tokens).

```python
from sentence_transformers import SentenceTransformer
model = SentenceTransformer("path/to/this/directory")
scores = model.similarity(model.encode_query(["what is photosynthesis"]), model.encode_document(["…"]))
```"""
# sentence-transformers cannot read CharacterBERT, whose tokens are lists of characters.
USE_OF_CHARACTERS = """Score: the dot product of the query vector (at
most {query_length} words) and the passage vector (at most {passage_length} words).

```python
from robustdr.encoding.encoder import Encoder
model = Encoder("path/to/this/directory")
scores = model.encode(["what is photosynthesis"], {query_length}) @ model.encode(["…"], {passage_length}).T
```"""


@dataclass
class Teacher:
    """A frozen model's vectors of the training data, computed once."""

    queries: torch.Tensor  # [examples, d], on the CPU
    passages: PassageVectors

    @classmethod
    def load(
        cls, model: Path, shards: list[Path], examples: Examples, query_length: int, precision: Precision
    ) -> "Teacher":
        assert examples.corpus is not None
        queries = Encoder(model, precision).encode(
            [example.query for example in examples], query_length, progress="teacher"
        )
        return cls(torch.from_numpy(queries), PassageVectors(shards, examples.corpus))


@dataclass
class Part:
    """Vectors computed without a graph, and what is needed to compute them again for their gradients."""

    encoder: Encoder
    tokens: list[list[int]]
    seed: int
    vectors: torch.Tensor  # [texts, d]


@dataclass(frozen=True)
class Ready:
    """What a batch of `size` queries is computed from.

    Attributes:
        tokens: token ids of this process's texts, by field of the batch.
        taught: fields of the batch that a teacher made, on the CPU.
        negative: whether the loss reads another query of each.
    """

    size: int
    tokens: dict[str, list[list[int]]]
    taught: dict[str, torch.Tensor]
    negative: bool


@dataclass
class Student(LearnsFromQueries):
    """One encoder for queries and passages (under `query`), or one each; none for passages if on queries only.

    `gradient_cache` is the number of tokens whose activations are in memory at once. Vectors are computed without a
    graph; a second pass computes them again, piece by piece, and sends their gradients through the encoder (gradient
    caching, Gao et al. 2021). So does a process that has several shares of a batch. Dropout is seeded by piece, so both
    passes use the same dropout.
    """

    settings: Settings
    seed: int
    encoders: dict[str, Encoder]
    anchor: Encoder | None = None
    teacher: Teacher | None = None
    teacher_scores: scores.Scores | None = None
    parts: list[Part] = field(default_factory=list)

    @classmethod
    def load(cls, settings: Settings, seed: int, examples: Examples, initial: Path, files: Files) -> "Student":
        """Load the encoders in training, and the frozen anchor and teacher if the loss needs them.

        Args:
            seed: of dropout. initial: the model directory to start from.
            files: `teacher`: its directory; `teacher_embeddings`: shards of its passage vectors; `teacher_scores`.

        Raises:
            UserError: the loss needs a teacher, and there is none; or `encoders` is `shared`, and `initial` has two.
        """
        needs = losses.check(**settings.loss)
        if settings.encoders == "shared" and is_router(initial):
            raise UserError(
                f"systems.{settings.system}: {initial} has an encoder for queries and one for passages: add "
                "`encoders: separate`"
            )
        encoders = encoders_in_training(settings, initial, bool(needs & {"passages", "groups"}))
        student = cls(settings, seed, encoders, teacher_scores=scores.needed(settings, files, examples))
        if "anchor" in needs:
            student.anchor = Encoder(initial, settings.precision, training=True)
        if "teacher_query" in needs:
            if not files.get("teacher"):
                raise UserError(f"systems.{settings.system}: the loss {settings.loss['name']} needs a teacher")
            (model,), shards = files["teacher"], list(files["teacher_embeddings"])
            student.teacher = Teacher.load(model, shards, examples, settings.query_length, settings.precision)
        return student

    @property
    def device(self) -> torch.device:
        return self.encoders[QUERY].device

    @property
    def use(self) -> str:
        return USE_OF_CHARACTERS if isinstance(self.encoders[QUERY].model, CharacterBertModel) else USE

    @property
    def is_cached(self) -> bool:
        """Whether vectors are computed without a graph first, and again for their gradients."""
        return self.settings.gradient_cache is not None or len(distributed.shares(self.settings.devices)) > 1

    @property
    def models(self) -> list[torch.nn.Module]:
        return [] if self.is_cached else [encoder.model for encoder in self.encoders.values()]

    @property
    def parameters(self) -> dict[str, torch.nn.Parameter]:
        """The parameters in training, by name."""
        return {
            f"{route}.{name}": parameter
            for route, encoder in self.encoders.items()
            for name, parameter in encoder.model.named_parameters()
            if parameter.requires_grad
        }

    def ready(self, step: Step) -> list[Ready]:
        return [self.read_fields(step, self.loss[1])]

    def read_fields(self, step: Step, needs: set[str]) -> Ready:
        """This process's tokens of the fields in `needs`, and what teachers say of the texts of all processes."""
        shares = distributed.shares(self.settings.devices)
        mine = shares.start * self.settings.batch_size, shares.stop * self.settings.batch_size
        tokens = {}
        if needs & {"passages", "groups"}:
            documents = self.reads(DOCUMENT)
            texts = [passage.read_passage().joined(documents.separator) for passage in step.items_of("passages", *mine)]
            tokens["passages"] = documents.tokenise(texts, self.settings.passage_length)
        fields: dict[str, str] = {name: name for name in ("query", "variation", "variations") if name in needs}
        if self.anchor is not None:
            fields["anchor"] = "query"
        for name, source_field in fields.items():
            tokens[name] = self.encoders[QUERY].tokenise(step.items_of(source_field, *mine), self.settings.query_length)
        taught = {}
        if self.teacher is not None:
            taught["teacher_query"] = self.teacher.queries[step.examples]
            taught["teacher_passages"] = torch.from_numpy(self.teacher.passages[[p.row for p in step.passages]])
        if self.teacher_scores is not None:
            taught["teacher_scores"] = scores.of_groups(self.teacher_scores, step.examples, step.passages)
        return Ready(len(step.examples), tokens, taught, "negative" in needs)

    def batch(self, ready: Ready, step: int) -> Batch:
        """The batch of a step: vectors of the texts of all processes."""
        size, batch = ready.size, Batch(**{name: sent(tensor, self.device) for name, tensor in ready.taught.items()})
        for name in ("passages", "query", "variation", "variations"):
            if name in ready.tokens:
                encoder = self.reads(DOCUMENT) if name == "passages" else self.encoders[QUERY]
                vectors = self.embed(encoder, ready.tokens[name], step, name)
                setattr(batch, name, vectors.unflatten(0, (size, -1)) if name == "variations" else vectors)
        if batch.passages is not None:
            batch.positive = torch.arange(size, device=self.device) * (len(batch.passages) // size)
        if self.anchor is not None:
            with torch.no_grad():
                batch.anchor = distributed.gather(self.anchor.embed(ready.tokens["anchor"]))
        if ready.negative:
            batch.negative = torch.tensor(derangement(size, self.seed, "negative query", step), device=self.device)
        if self.settings.temperature is not None:
            for name in VECTORS:
                if (vectors := getattr(batch, name)) is not None:
                    setattr(batch, name, vectors / sqrt(self.settings.temperature))
        return batch

    def reads(self, route: str) -> Encoder:
        """The encoder for the texts of a route."""
        return self.encoders[route] if route in self.encoders else self.encoders[QUERY].for_route(route)

    def embed(self, encoder: Encoder, tokens: list[list[int]], step: int, name: str) -> torch.Tensor:
        """Vectors of the texts of all processes, [processes · texts, d], in rank order; `tokens` are this process's.

        Each share of the batch has its own dropout, whichever process computes it.
        """
        shares, cache = distributed.shares(self.settings.devices), self.settings.gradient_cache
        is_cached, vectors = self.is_cached, []
        for number, share in enumerate(shares):
            texts = tokens[number * len(tokens) // len(shares) : (number + 1) * len(tokens) // len(shares)]
            dropout = digest(self.seed, "dropout", step, share, name)
            with torch.set_grad_enabled(not is_cached):
                vectors.append(encoder.embed(texts, dropout, cache))
            if is_cached:
                vectors[-1].requires_grad_()
                self.parts.append(Part(encoder, texts, dropout, vectors[-1]))
        return distributed.gather(torch.cat(vectors))

    def backward(self, loss: torch.Tensor) -> None:
        """Add to the gradients of all parameters."""
        loss.backward()
        for part in self.parts:
            if part.vectors.grad is None:  # a term whose weight is 0
                continue
            for number, group in enumerate(part.encoder.groups(part.tokens, self.settings.gradient_cache)):
                vectors = part.encoder.forward([part.tokens[i] for i in group], digest(part.seed, number))
                vectors.backward(part.vectors.grad[group])
        self.parts.clear()

    def save(self, initial: Path, output: Path, card: str) -> None:
        """Write the model directory; a route that is not trained keeps the encoder of `initial`."""
        save(self.encoders, initial, output, card, self.settings.encoders == "separate")


def encoders_in_training(settings: Settings, initial: Path, passages: bool = True) -> dict[str, Encoder]:
    """Return the encoders that are trained, by route: one, or two if they are separate and `passages` are read."""
    encoders = {QUERY: Encoder(initial, settings.precision, training=True)}
    if settings.encoders == "separate" and passages:
        encoders[DOCUMENT] = Encoder(initial, settings.precision, training=True, route=DOCUMENT)
    for encoder in encoders.values():
        encoder.model.train()
        if settings.freeze_word_embeddings:
            encoder.transformer.get_input_embeddings().requires_grad_(False)
        drop_out(encoder.model, settings.dropout)
    return encoders


def derangement(size: int, *seed: object) -> list[int]:
    """For each of `size` positions, another position: a random cycle through all of them."""
    order = list(range(size))
    generator(*seed).shuffle(order)
    successor = dict(zip(order, order[1:] + order[:1], strict=True))
    return [successor[i] for i in range(size)]

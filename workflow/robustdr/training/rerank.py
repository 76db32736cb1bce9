"""Training of rankers: scores for a batch."""

from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import PreTrainedModel

from robustdr.collections.reading import read_corpus
from robustdr.core.files import atomic, write_json, write_text
from robustdr.core.seeds import digest
from robustdr.core.statements import Words
from robustdr.losses.batch import Batch
from robustdr.rankers.ranker import Ranker, load, saved
from robustdr.training import distributed, scores
from robustdr.training.data import Examples
from robustdr.training.feed import Files, Step
from robustdr.training.queries import LearnsFromQueries
from robustdr.training.settings import RankerTraining as Settings

TITLE: Words = "A ranking model"
USE: Words = """It scores pairs of a query (at most {query_length} tokens) and a passage (at most {passage_length}
tokens):
`robustdr rerank --model path/to/this/directory --run in.trec --queries q.tsv --corpus c.jsonl -o out.trec`."""


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
            UserError: see `rankers.ranker.load` and `scores.needed`.
        """
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

    def batch(self, seen: Step, step: int, needs: set[str]) -> Batch:
        """The batch of a step, with the fields in `needs`: scores of this process's queries.

        Vectors of queries, if the loss reads them, are those of all processes.
        """
        rank, share = distributed.rank(), self.settings.batch_size
        mine = rank * share, (rank + 1) * share
        lengths = self.settings.query_length, self.settings.passage_length
        groups = [[passage.read().joined() for passage in seen.of("passages", i, i + 1)] for i in range(*mine)]
        per_query = len(groups[0])
        batch = Batch()
        for name in ("query", "variation", "variations"):
            if name in needs:
                texts = seen.of(name, *mine)
                each = len(texts) // share
                pairs = [(text, passage) for number, text in enumerate(texts) for passage in groups[number // each]]
                seeds = self.seed, "dropout", step, rank, name
                scored = self.ranker.score(self.ranker.tokenise(pairs, *lengths), digest(*seeds))
                found = {f"{name}_scores": scored.unflatten(0, (-1, per_query))}
                if "vectors" in needs:  # of each text paired with the positive
                    vectors = self.ranker.represent(pairs[::per_query], *lengths, digest(*seeds, "vectors"))
                    found[name] = distributed.gather(vectors)
                for field, values in found.items():
                    setattr(batch, field, values.unflatten(0, (-1, each)) if name == "variations" else values)
        if self.teacher is not None and "teacher_scores" in needs:
            examples, passages = seen.of("examples", *mine), seen.of("passages", *mine)
            batch.teacher_scores = scores.of_groups(self.teacher, examples, passages).to(self.device)
        return batch

    def backward(self, loss: torch.Tensor) -> None:
        """Set the gradients of all parameters, averaged over the processes: each loss is a mean over own queries."""
        loss.backward()
        distributed.average_gradients(self.parameters.values())

    def save(self, initial: Path, output: Path, card: str) -> None:
        """Write the ranker's directory, with ranker.json and a card."""
        with atomic(output) as temporary:
            temporary.mkdir()
            self.ranker.save(temporary)
            lengths = {name: getattr(self.settings, name) for name in ("query_length", "passage_length")}
            write_json(temporary / "ranker.json", {**saved(temporary), "lengths": lengths})
            write_text(temporary / "README.md", card)

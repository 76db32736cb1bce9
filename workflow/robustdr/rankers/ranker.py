"""The base of all ranking models: a module that scores pairs of texts, each independently of the others."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import torch
from transformers import PreTrainedModel

from robustdr.core.checks import check_known
from robustdr.core.errors import UserError
from robustdr.core.files import from_json, write_json, write_text
from robustdr.core.seeds import digest
from robustdr.encoding.batching import by_length
from robustdr.encoding.encoder import GROUP_TOKENS, drop_out
from robustdr.encoding.hardware import Precision, autocast, device
from robustdr.rankers import RANKERS
from robustdr.rankers.settings import RankerSettings

CARD = """# {name}

{about} Saved by robustdr, which loads it again:

```python
from pathlib import Path
from robustdr.rankers.ranker import load
ranker = load("{name}", Path("path/to/this/directory"))
scores = ranker.score(ranker.tokenise([("what is photosynthesis", "…")], query_length=32, passage_length=128))
```
"""

Pair = tuple[str, str]  # query, passage
CHUNK = 4096  # pairs whose tokens are in memory at once
SCORED_TOKENS = {"cpu": 2048, "cuda": 1 << 16}  # of one pass without gradients, padding included
Tokens = tuple[list[int], ...]  # of a pair: one list, or one each for the query and the passage


class Saved(TypedDict, total=False):
    """The `ranker.json` of a directory: the ranker's name and settings."""

    ranker: str
    settings: dict[str, object]
    lengths: dict[str, int]


class Ranker(torch.nn.Module, ABC):
    """A ranking model.

    Its constructor takes its initial directory and its settings. The directory is one that the ranker saved, or a
    checkpoint in one of the forms that its settings name; weights that a checkpoint lacks are drawn from torch's
    generator.
    """

    computing: Any  # a context that computes in its precision; `load` sets it

    def __init__(self, settings: RankerSettings):
        super().__init__()
        self.settings = settings

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    @abstractmethod
    def tokenise(self, pairs: Sequence[Pair], query_length: int, passage_length: int) -> list[Tokens]:
        """Return the tokens of each pair; query and passage are each cut to their length."""

    @abstractmethod
    def forward(self, tokens: Sequence[Tokens]) -> torch.Tensor:
        """Return scores of pairs that go through the model together, [pairs]; padding changes none of them."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write `files` into an empty folder."""

    def describe(self, folder: Path) -> None:
        """Write `ranker.json`, the ranker's name and settings, and `README.md` into its folder."""
        name = type(self).__module__.rpartition(".")[2]
        write_json(folder / "ranker.json", {"ranker": name, "settings": asdict(self.settings)})
        summary = (type(self).__doc__ or "").partition("\n\n")[0]
        write_text(folder / "README.md", CARD.format(name=name, about=" ".join(summary.split())))

    def count(self, passages: Iterable[str]) -> None:
        """Count the words of the passages that are ranked."""

    def drop_out(self, probability: float) -> None:
        """Set the probability of dropout in all layers."""
        drop_out(self, probability)

    def groups(self, tokens: Sequence[Tokens], limit: int | None = None) -> list[list[int]]:
        """Return positions of pairs in groups for one pass: similar lengths, at most `limit` tokens with padding."""
        return by_length([sum(map(len, ids)) for ids in tokens], limit or GROUP_TOKENS[self.device.type])

    def score(self, tokens: Sequence[Tokens], seed: int = 0, limit: int | None = None) -> torch.Tensor:
        """Return scores, [pairs], float32, with gradients if these are enabled; `seed` is that of dropout."""
        return self.in_groups(self, tokens, seed, limit)

    def represent(self, pairs: Sequence[Pair], query_length: int, passage_length: int, seed: int = 0) -> torch.Tensor:
        """Return vectors of the queries of pairs, [pairs, d], float32, with gradients if these are enabled."""
        raise NotImplementedError

    def in_groups(
        self,
        function: Callable[[Sequence[Tokens]], torch.Tensor],
        tokens: Sequence[Tokens],
        seed: int,
        limit: int | None = None,
    ) -> torch.Tensor:
        """Apply `function`, which takes the pairs of one pass, to any number of pairs: [pairs, …]."""
        groups, outputs = self.groups(tokens, limit), []
        with self.computing():
            for number, group in enumerate(groups):
                if self.training:
                    torch.manual_seed(digest(seed, number))
                outputs.append(function([tokens[i] for i in group]).float())
        order = torch.tensor([position for group in groups for position in group], device=self.device)
        return torch.cat(outputs)[order.argsort()]

    def predict(
        self, pairs: Iterable[Pair], query_length: int, passage_length: int, names: Iterable[tuple[str, str]]
    ) -> np.ndarray:
        """Return scores of any number of pairs without gradients, [pairs], float32.

        Args:
            pairs: read in chunks, so that their texts need not be in memory together.
            names: query id and docid of each pair, for error messages.

        Raises:
            UserError: a score is not finite (names query and passage).
        """
        scores, pairs, names = [np.empty(0, np.float32)], iter(pairs), iter(names)
        with torch.inference_mode():
            while chunk := list(islice(pairs, CHUNK)):
                tokens = self.tokenise(chunk, query_length, passage_length)
                chunk_scores = self.score(tokens, limit=SCORED_TOKENS[self.device.type]).cpu().numpy()
                for (qid, docid), fine in zip(islice(names, len(chunk)), np.isfinite(chunk_scores), strict=True):
                    if not fine:
                        raise UserError(
                            f"the score of query {qid!r} and passage {docid!r} is not finite; train the ranker again"
                        )
                scores.append(chunk_scores)
        return np.concatenate(scores)


def load(
    name: str, folder: Path, precision: Precision = "float32", training: bool = False, seed: int = 0, **settings: Any
) -> Ranker:
    """Return a ranker on the first GPU, or else the CPU.

    Args:
        folder: initial directory. precision: of the computation; weights stay in single precision.
        training: whether to use dropout and keep gradients. seed: of weights that the directory lacks.
        settings: of the ranker; the default is those that the directory was saved with.

    Raises:
        UserError: unknown ranker or setting; or the directory belongs to another ranker, or has a form that this one
            cannot start from.
    """
    record = saved(folder)
    if record.get("ranker", name) != name:
        forms = " or ".join(RANKERS.facts(name).initial)
        raise UserError(
            f"{folder}: saved by the ranker {record['ranker']!r}; {name!r} starts from a directory that it saved "
            f"itself, or from a checkpoint of the form {forms}"
        )
    chosen = RANKERS.settings(name, {**record.get("settings", {}), **settings})
    torch.manual_seed(digest(seed, "ranker", name))
    ranker: Ranker = RANKERS.load(name)(folder, chosen)
    ranker.to(device()).train(training).requires_grad_(training)
    if not training:
        for module in ranker.modules():
            if isinstance(module, PreTrainedModel):
                module.set_attn_implementation("sdpa")  # faster than plain attention, except for training on a CPU
                break
    ranker.computing = partial(autocast, precision, ranker.device)
    return ranker


def saved(folder: Path) -> Saved:
    """Return the `ranker.json` of a directory that a ranker saved; empty for any other directory.

    Raises:
        UserError: the file is damaged.
    """
    path = folder / "ranker.json"
    try:
        record = from_json(path.read_bytes())
        check_known(f"{path}: ranker", record["ranker"], RANKERS.names())
        return {**record, "settings": dict(record["settings"])}
    except FileNotFoundError:
        return {}
    except UserError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path}: not what a ranker saves ({error!r}); fields: ranker, settings") from None

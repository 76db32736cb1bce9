"""Where every artifact of a scale lies."""

import re
from collections.abc import Iterable, Sequence

from robustdr.encoding.directory import DOCUMENT, MODULES, QUERY, WHOLE
from robustdr.graph.structure import ORIGINAL, Structure

# What judges a split, and the file that holds it.
JUDGEMENTS = {"qrels": "qrels.txt", "answers": "answers.jsonl"}

# The folders that are recorded as a whole: models, indexes, and checkpoints, of which pre-trained ones have seeds.
FOLDER = re.compile(r"(.+/(?:models/[^/]+|checkpoints)/[^/]+/seed[^/]+|.+/checkpoints/[^/]+|.+/indexes/[^/]+/[^/]+)/")


def record_listing(path: str) -> str:
    """The record (robustdr.keys.integrity) that lists a file: of the artifact that it is, or belongs to."""
    folder = FOLDER.match(path)
    return f"{folder[1] if folder else path}.sha256"


class Places(Structure):
    """File names."""

    def card(self, collection: str) -> str:
        return f"{self.root}/collections/{collection}/card.json"

    def corpus(self, collection: str) -> str:
        return f"{self.root}/collections/{collection}/corpus.jsonl"

    def query_set(self, collection: str, split: str, variation: str) -> str:
        if variation == ORIGINAL:
            return f"{self.root}/collections/{collection}/{split}/queries.tsv"
        return f"{self.root}/variations/{collection}/{split}/{variation}.tsv"

    def split_files(self, collection: str, split: str) -> list[str]:
        """The queries of a split and what judges them, first what judges runs."""
        names = ["queries.tsv", *(JUDGEMENTS[how] for how in self.config.judged_by(collection, split))]
        return [f"{self.root}/collections/{collection}/{split}/{name}" for name in names]

    def initial_folder(self, system: str, seed: object) -> str:
        """The model that a system starts from, or is where it is not trained."""
        if parent := self.initial_of(system):
            return self.model_folder(parent, seed)
        if pretraining := self.pretraining_of(system):
            return self.pretrained_folder(pretraining, seed)
        return f"{self.root}/checkpoints/{self.checkpoint_of(system)}"

    def pretrained_folder(self, pretraining: str, seed: object) -> str:
        return f"{self.root}/checkpoints/{pretraining}/seed{seed}"

    def model_folder(self, system: str, seed: object) -> str:
        if not self.is_trained(system):
            return self.initial_folder(system, seed)
        return f"{self.root}/models/{self.train_split(system)[0]}/{system}/seed{seed}"

    def checkpoint_mark(self, checkpoint: str) -> str:
        """The file of a checkpoint that jobs wait for: its weights, where their place is known."""
        name = MODULES if self.form_of(checkpoint) == WHOLE else "model.safetensors"
        return f"{self.root}/checkpoints/{checkpoint}/{name}"

    def weights(self, system: str, seed: object, route: str) -> str:
        """The weights of a system's query or document encoder; of one that is taken as it is, the list of modules."""
        if self.is_whole(system):
            return f"{self.model_folder(system, seed)}/{MODULES}"
        router = self.is_trained(system) and self.is_router(system)
        return f"{self.model_folder(system, seed)}/{f'{route}_0_Transformer/' if router else ''}model.safetensors"

    def model(self, system: str, seed: object) -> list[str]:
        return list(dict.fromkeys(self.weights(system, seed, route) for route in (QUERY, DOCUMENT)))

    def all_models(self, papers: Iterable[str]) -> list[str]:
        """The weights of everything that is trained or pre-trained for papers."""
        papers = list(papers)
        trained = [path for system, seed in self.models(papers) for path in self.model(system, seed)]
        return trained + [f"{self.pretrained_folder(*made)}/model.safetensors" for made in self.pretrained(papers)]

    def embeddings(self, system: str, seed: int, collection: str) -> list[str]:
        """The passage vectors that a system searches, if they are kept."""
        if not self.keeps_embeddings(system, collection):
            return []
        encoder = self.encoder_of(system)
        folder = f"{self.root}/embeddings/{collection}/{encoder}/seed{self.seed_of(encoder, seed)}"
        return [f"{folder}/{shard}.npy" for shard in range(self.bound["embeddings"]["shards"])]

    def index(self, collection: str, name: str) -> str:
        """The folder of an index of words."""
        return f"{self.root}/indexes/{collection}/{name}"

    def compressed(self, system: str, seed: int, collection: str) -> list[str]:
        """The compressed indexes of a system's passage vectors, one of each shard."""
        vectors = (path.removeprefix(f"{self.root}/embeddings/") for path in self.embeddings(system, seed, collection))
        return [f"{self.root}/compressed/{path.removesuffix('.npy')}.faiss" for path in vectors]

    def run(self, system: str, seed: object, collection: str, split: str, variation: str) -> str:
        return f"{self.root}/runs/{collection}/{system}/seed{seed}/{split}.{variation}.arrow"

    def training_data(self, system: str, seed: object) -> str:
        return f"{self.root}/training/{self.train_split(system)[0]}/{system}/seed{seed}.jsonl"

    def teacher_scores(self, system: str, seed: object) -> str:
        return f"{self.root}/training/{self.train_split(system)[0]}/{system}/seed{seed}.scores.jsonl"

    def cost_files(self, system: str, seeds: Sequence[int]) -> list[str]:
        """What training a system with each of the seeds cost."""
        return [f"{self.model_folder(system, self.seed_of(system, seed))}/cost.json" for seed in seeds]

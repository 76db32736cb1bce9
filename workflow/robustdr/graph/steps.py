"""The steps that lead from a collection to the measures of a system: what each made, its key, and what it cost."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

from robustdr.graph.plan import Plan
from robustdr.graph.structure import ORIGINAL
from robustdr.reporting.settings import Step


def _collection(plan: Plan, collection: str, splits: list[str]) -> Iterator[Step]:
    benchmarks = f"{plan.root}/benchmarks"
    if not plan.is_log(collection):
        path, benchmark = plan.corpus(collection), f"{benchmarks}/corpus/{collection}.tsv"
        yield Step("corpus", f"passages of {collection}", path, plan.corpus_key(collection), benchmark)
    for split in splits:
        path = plan.query_set(collection, split, ORIGINAL)
        benchmark = f"{benchmarks}/split/{collection}/{split}.tsv"
        yield Step("split", f"{split} queries of {collection}", path, plan.split_key(collection, split), benchmark)


def _varied(plan: Plan, collection: str, split: str, kind: str) -> Iterator[Step]:
    """A variation, after the shards that it is gathered from."""
    key, path = plan.variation_key(collection, split, kind), plan.query_set(collection, split, kind)
    for shard in plan.variation_shards(collection, split, kind):
        name = PurePath(shard).stem
        benchmark = f"{plan.root}/benchmarks/vary_shard/{collection}.{split}.{kind}.{name}.tsv"
        what = f"{kind} of {collection}, {split}, shard {name.replace('-', ' ')}"
        yield Step("vary_shard", what, shard, key, benchmark, f"{split}.{kind}")
    benchmark = f"{plan.root}/benchmarks/vary/{collection}.{split}.{kind}.tsv"
    yield Step("vary", f"{kind} of {collection}, {split}", path, key, benchmark, f"{split}.{kind}")


def _embedded(plan: Plan, encoder: str, seed: int, collection: str, shard: str, path: str) -> Step:
    benchmark = f"{plan.root}/benchmarks/embed/{collection}.{encoder}.{seed}.{shard}.tsv"
    key, what = plan.embeddings_key(encoder, seed, collection), f"vectors of {collection} by {encoder}, shard {shard}"
    return Step("embed", what, path, key, benchmark)


def _indexed(plan: Plan, collection: str, name: str) -> Step:
    benchmark, path = f"{plan.root}/benchmarks/index/{collection}.{name}.tsv", plan.index(collection, name)
    return Step(
        "index", f"words of {collection}, {name}", path, plan.index_key(collection, plan.indexes()[name]), benchmark
    )


def _compressed(plan: Plan, encoder: str, seed: int, collection: str, shard: str, path: str) -> Iterator[Step]:
    """A compressed index, after the vectors that it is made of."""
    yield _embedded(plan, encoder, seed, collection, shard, plan.embeddings(encoder, seed, collection)[int(shard)])
    benchmark = f"{plan.root}/benchmarks/compress/{collection}.{encoder}.{seed}.{shard}.tsv"
    key, what = plan.compressed_key(encoder, seed, collection), f"index of {collection} by {encoder}, shard {shard}"
    yield Step("compress", what, path, key, benchmark)


def _ranked(plan: Plan, system: str, seed: int, collection: str, split: str, kind: str) -> Iterator[Step]:
    """A ranking, after the vectors or words that it searches and the candidates that it ranks anew."""
    for path in plan.ranking(system, seed, (collection, split), [kind]).files:
        folder, *place = path.removeprefix(f"{plan.root}/").split("/")
        if folder == "indexes":
            yield _indexed(plan, *place[:2])
        if folder in ("embeddings", "compressed", "runs"):
            _, other, seeded, file = place
            its_seed, name = int(seeded.removeprefix("seed")), re.sub(r"\.(npy|faiss|arrow)$", "", file)
            if folder == "embeddings":
                yield _embedded(plan, other, its_seed, collection, name, path)
            elif folder == "compressed":
                yield from _compressed(plan, other, its_seed, collection, name, path)
            else:
                yield from _ranked(plan, other, its_seed, collection, *name.split(".", 1))
    benchmark = f"{plan.root}/benchmarks/rank/{collection}.{split}.{system}.{seed}.tsv"
    what = f"ranking of {collection}, {split}, {kind} by {system}, seed {seed}"
    path = plan.run(system, seed, collection, split, kind)
    key = plan.run_key(system, seed, collection, split, kind)
    yield Step("rank", what, path, key, benchmark, f"{split}.{kind}")


def _initial(plan: Plan, system: str, seed: int) -> Iterator[Step]:
    """The checkpoint at the root of a lineage, and its pre-training."""
    benchmarks, checkpoint = f"{plan.root}/benchmarks", plan.checkpoint_of(system)
    path, benchmark = f"{plan.root}/checkpoints/{checkpoint}", f"{benchmarks}/checkpoint/{checkpoint}.tsv"
    yield Step("checkpoint", f"checkpoint {checkpoint}", path, plan.checkpoint_key(checkpoint), benchmark)
    if name := plan.pretraining_of(system):
        path, benchmark = plan.pretrained_folder(name, seed), f"{benchmarks}/pretrain/{name}.{seed}.tsv"
        yield Step("pretrain", f"pre-training {name}", path, plan.pretrained_key(name, seed), benchmark)


def _trained(plan: Plan, system: str, seed: int) -> Iterator[Step]:
    collection, split = plan.train_split(system)
    yield from _collection(plan, collection, [split])
    for kind in plan.training_variations(system):
        yield from _varied(plan, collection, split, kind)
    if plan.initial_of(system) is None:
        yield from _initial(plan, system, seed)
    if miner := plan.miner_of(system):
        yield from _ranked(plan, miner, plan.seed_of(miner, seed), collection, split, ORIGINAL)
    at, benchmarks = f"{collection}.{system}.{seed}.tsv", f"{plan.root}/benchmarks"
    path, key = f"{plan.root}/training/{collection}/{system}/seed{seed}.jsonl", plan.training_data_key(system, seed)
    yield Step("training_data", f"training data of {system}", path, key, f"{benchmarks}/training_data/{at}")
    path, key = plan.model_folder(system, seed), plan.model_key(system, seed)
    yield Step("train", f"training of {system}, seed {seed}", path, key, f"{benchmarks}/train/{at}")


def steps(plan: Plan, system: str, collection: str) -> list[Step]:
    """The steps behind a system's measures on a collection, in an order in which they can be made, with its first seed.

    A step of training is for every query set, also where it makes one that is evaluated too.
    """
    seed = plan.seeds(system)[0]
    trained = [replace(step, query_set="") for name in plan.lineage(system)
               for step in _trained(plan, name.partition(".")[0], plan.seed_of(name, seed))]  # fmt: skip
    if not trained and "initial" in plan.recipe(system):
        trained = list(_initial(plan, system, seed))
    evaluated = {at: kinds for at, (kinds, _) in plan.evaluations(system).items() if at[0] == collection}
    own = [*_collection(plan, collection, [split for _, split in evaluated])]
    sets = [(at, kind) for at, kinds in evaluated.items() for kind in kinds]
    own += [step for at, kind in sets if kind != ORIGINAL for step in _varied(plan, *at, kind)]
    own += [step for at, kind in sets for step in _ranked(plan, system, seed, *at, kind)]
    path = f"{plan.root}/measures/{collection}/{system}/seed{seed}.parquet"
    benchmark = f"{plan.root}/benchmarks/evaluate/{collection}.{system}.{seed}.tsv"
    key = plan.measures_key(system, seed, collection)
    own.append(Step("evaluate", f"measures of {system} on {collection}, seed {seed}", path, key, benchmark))
    return list({step.path: step for step in [*trained, *own]}.values())

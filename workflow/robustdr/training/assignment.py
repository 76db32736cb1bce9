"""Which variations a training query is given."""

from collections import defaultdict
from collections.abc import Mapping

from tokenizers import Tokenizer

from robustdr.core.seeds import digest

Texts = dict[str, str]  # by query id


def changes(queries: Texts, varied: Mapping[str, Texts], tokenizer: Tokenizer) -> dict[str, Texts]:
    """By query id, its variations by type: those that change its tokens; what a model cannot see teaches nothing.

    Args:
        queries: original texts. varied: texts by type. tokenizer: of the model.
    """
    found = {}
    for qid, text in queries.items():
        original = tokenizer.encode(text).ids
        texts = {kind: texts[qid] for kind, texts in varied.items()}
        found[qid] = {kind: other for kind, other in texts.items() if tokenizer.encode(other).ids != original}
    return found


def share_out(options: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Give each query one of its types so that all types have as equal a share of the queries as the options allow.

    Queries come in turn and take the type with the fewest queries that they can reach: one of their own, or one that a
    query placed before can move on to and so make room, and so on. Such an optimal semi-matching has, of all
    assignments, the most equal loads: any other has a type with more queries where the two first differ, largest loads
    first (Harvey, Ladner, Lovász and Tamir 2006).

    Args:
        options: the types that each query may have, at least one.
    """
    placed: defaultdict[str, defaultdict[tuple[str, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    load = dict.fromkeys((kind for own in options.values() for kind in own), 0)
    for qid, own in options.items():
        reached: dict[str, tuple[str, tuple[str, ...]] | None] = dict.fromkeys(own)
        queue, fewest = list(own), min(load.values())
        for kind in queue:
            if load[kind] == fewest:
                break
            for others, qids in placed[kind].items():
                for other in others if qids else ():
                    if other not in reached:
                        reached[other] = (kind, others)
                        queue.append(other)
        kind = min(queue, key=load.__getitem__)
        load[kind] += 1
        while (step := reached[kind]) is not None:
            source, others = step
            placed[kind][others].append(placed[source][others].pop())
            kind = source
        placed[kind][own].append(qid)
    return {qid: kind for kind, groups in placed.items() for qids in groups.values() for qid in qids}


def assign_one(queries: Texts, varied: Mapping[str, Texts], tokenizer: Tokenizer, seed: int) -> Texts:
    """One variation for each query, the types in equal shares (RoDR §3, released code).

    Only variations that change the query's tokens count. Where a type changes too few queries for an equal share it has
    all of them, and the others share the rest. A query that no type changes keeps its text.

    Args:
        queries: original texts. varied: texts by type. tokenizer: of the model. seed: of the assignment.
    """
    texts = changes(queries, {kind: varied[kind] for kind in sorted(varied)}, tokenizer)
    order = sorted(filter(texts.__getitem__, queries), key=lambda qid: digest(seed, "assign", qid))
    chosen = share_out({qid: tuple(texts[qid]) for qid in order})
    return {qid: texts[qid][chosen[qid]] if qid in chosen else text for qid, text in queries.items()}


def assign_all(queries: Texts, varied: Mapping[str, Texts], tokenizer: Tokenizer) -> dict[str, list[str]]:
    """All variations of each query that change its tokens, each text once, in the order of `varied`; else its text."""
    texts = changes(queries, varied, tokenizer)
    return {qid: list(dict.fromkeys(texts[qid].values())) or [text] for qid, text in queries.items()}

"""Assigns variations to training queries."""

from collections import defaultdict
from collections.abc import Mapping

from tokenizers import Tokenizer

from robustdr.core.seeds import digest

Texts = dict[str, str]  # by query id


def changes(queries: Texts, varied: Mapping[str, Texts], tokenizer: Tokenizer) -> dict[str, Texts]:
    """By query id and variation, the texts whose tokens differ from the query's: the model cannot tell others apart.

    Args:
        queries: original texts. varied: texts by variation. tokenizer: the model's.
    """
    changed_texts = {}
    for qid, text in queries.items():
        original = tokenizer.encode(text).ids
        texts = {kind: texts[qid] for kind, texts in varied.items()}
        changed_texts[qid] = {
            kind: varied_text for kind, varied_text in texts.items() if tokenizer.encode(varied_text).ids != original
        }
    return changed_texts


def share_out(options: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Assign one variation to each query, so that the numbers of queries per variation are as equal as possible.

    This is an optimal semi-matching (Harvey, Ladner, Lovász and Tamir 2006). Queries are placed one by one. A query
    looks for the least loaded variation that it can reach: one of its options, or one that an earlier query can move
    to, and so on. The earlier queries then move. Of all assignments, the result has the smallest largest load, then
    the smallest second largest load, and so on.

    Args:
        options: the variations that each query may have, at least one.
    """
    placed: defaultdict[str, defaultdict[tuple[str, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    load = dict.fromkeys((kind for kinds in options.values() for kind in kinds), 0)
    for qid, own_kinds in options.items():
        reached: dict[str, tuple[str, tuple[str, ...]] | None] = dict.fromkeys(own_kinds)
        queue, fewest = list(own_kinds), min(load.values())
        for kind in queue:
            if load[kind] == fewest:
                break
            for kinds_of_query, qids in placed[kind].items():
                for next_kind in kinds_of_query if qids else ():
                    if next_kind not in reached:
                        reached[next_kind] = (kind, kinds_of_query)
                        queue.append(next_kind)
        kind = min(queue, key=load.__getitem__)
        load[kind] += 1
        while (step := reached[kind]) is not None:
            source, kinds_of_query = step
            placed[kind][kinds_of_query].append(placed[source][kinds_of_query].pop())
            kind = source
        placed[kind][own_kinds].append(qid)
    return {qid: kind for kind, groups in placed.items() for qids in groups.values() for qid in qids}


def assign_one(queries: Texts, varied: Mapping[str, Texts], tokenizer: Tokenizer, seed: int) -> Texts:
    """One variation for each query, all variations in equal shares (RoDR §3, released code).

    Only variations that change the query's tokens count. A variation that changes too few queries for an equal share
    gets all of them; the others share the rest. A query that no variation changes keeps its text.

    Args:
        queries: original texts. varied: texts by variation. tokenizer: the model's. seed: decides the assignment.
    """
    texts = changes(queries, {kind: varied[kind] for kind in sorted(varied)}, tokenizer)
    order = sorted(filter(texts.__getitem__, queries), key=lambda qid: digest(seed, "assign", qid))
    chosen = share_out({qid: tuple(texts[qid]) for qid in order})
    return {qid: texts[qid][chosen[qid]] if qid in chosen else text for qid, text in queries.items()}


def assign_all(queries: Texts, varied: Mapping[str, Texts], tokenizer: Tokenizer) -> dict[str, list[str]]:
    """By query id, the texts that change its tokens, each once, in the order of `varied`; its own text if none."""
    texts = changes(queries, varied, tokenizer)
    return {qid: list(dict.fromkeys(texts[qid].values())) or [text] for qid, text in queries.items()}

"""The losses in plain NumPy, loop by loop as the papers print them, and batches to compute them on.

A loss here takes a batch twice: it reads what no gradient may reach from `held`, everything else from `x`, so that
differences in `x` alone give the gradients that are wanted.
"""

from types import SimpleNamespace

import numpy as np
import torch

from robustdr.losses.batch import Batch


def tensor(rows) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def random_batch(seed: int, queries: int, per_query: int, dimension: int, variations: int = 2) -> Batch:
    """A batch with every field: of each query, the random negative is some other query where there is one."""
    rng = np.random.default_rng(seed)

    def vectors(*rows: int, columns: int = dimension) -> torch.Tensor:
        return torch.from_numpy(rng.normal(size=(*rows, columns)))

    return Batch(
        passages=vectors(queries * per_query),
        positive=torch.arange(queries) * per_query,
        query=vectors(queries),
        variation=vectors(queries),
        teacher_query=vectors(queries),
        teacher_passages=vectors(queries * per_query),
        anchor=vectors(queries),
        negative=torch.from_numpy((np.arange(queries) + rng.integers(1, max(queries, 2))) % queries),
        teacher_scores=vectors(queries, columns=per_query),
        variations=vectors(queries, variations),
    )


def distribution(scores):
    """e^s / Σ e^s."""
    exponentials = [np.exp(score) for score in scores]
    return [value / sum(exponentials) for value in exponentials]


def divergence(teacher, student):
    """The mean over the rows of scores of KL(p ‖ q) = Σ p log(p / q)."""
    rows = [(distribution(t), distribution(s)) for t, s in zip(teacher, student, strict=True)]
    return np.mean([sum(p * np.log(p / q) for p, q in zip(*row, strict=True)) for row in rows])


def likelihood(scores, positive):
    """The mean over the rows of scores of −log p(positive)."""
    return -np.mean([np.log(distribution(row)[place]) for row, place in zip(scores, positive, strict=True)])


def all_scores(queries, passages):
    return [[query @ passage for passage in passages] for query in queries]


def group_scores(queries, x):
    size = len(x.passages) // len(queries)
    return [[q @ x.passages[start + i] for i in range(size)] for q, start in zip(queries, x.positive, strict=True)]


def contrastive(x, held, queries="query"):
    """Eq. 7 of RoDR."""
    return {"nll": likelihood(all_scores(getattr(x, queries), x.passages), x.positive)}


def rodr(x, held, nll=1.0, query_alignment=1.0, passage_alignment=0.2):
    """Eq. 7, 3 (over the queries) and 6 (over the passages) of RoDR."""
    terms = {}
    if nll:
        terms["nll"] = nll * likelihood(all_scores(x.variation, x.passages), x.positive)
    if query_alignment:
        teacher, student = all_scores(held.teacher_query, held.teacher_passages), all_scores(x.variation, x.passages)
        terms["query_alignment"] = query_alignment * divergence(teacher, student)
    if passage_alignment:
        teacher, student = all_scores(held.teacher_passages, held.teacher_query), all_scores(x.passages, x.variation)
        terms["passage_alignment"] = passage_alignment * divergence(teacher, student)
    return terms


def self_teaching(x, held):
    """Eq. 2 and 5 of ToRoDer."""
    clean, typo = all_scores(held.query, held.passages), all_scores(x.variation, x.passages)
    return {**contrastive(x, held), "self_teaching": divergence(clean, typo)}


def lce(x, held, queries="query"):
    """Eq. 3 of ToRoDer, with dot products for scores."""
    return {"nll": likelihood(group_scores(getattr(x, queries), x), [0] * len(x.query))}


def distillation(x, held, alpha=0.2):
    """Eq. 6 of ToRoDer."""
    terms = {
        "distillation": divergence(held.teacher_scores, group_scores(x.query, x)),
        "distillation_variation": divergence(held.teacher_scores, group_scores(x.variation, x)),
    }
    if alpha:
        terms |= {name: alpha * term for name, term in self_teaching(x, held).items()}
    return terms


def cosine(first, second):
    return first @ second / np.sqrt((first @ first) * (second @ second))


def capot(
    x,
    held,
    tau_positive=1.0,
    tau_negative=0.1,
    tau_anchor=2.0,
    tau_ranking=1.0,
    margin=1.0,
    margin_ranking=0.0,
    variant="printed",
):
    """Eq. 1 to 3 of CAPOT, query by query."""
    contrast, anchored, ranking = [], [], []
    for f, positive, index, fa in zip(x.query, x.variation, x.negative, held.anchor, strict=True):
        negative = x.query[index]
        anchored.append(sum((f - fa) ** 2))
        if variant == "released_sibling":
            positive_term, negative_term = cosine(f, positive), cosine(f, negative)
            contrast.append(tau_positive * (1 - positive_term) + tau_negative * max(0, negative_term - 0.2))
            better, worse = positive_term, negative_term
        else:
            positive_term, negative_term = sum((f - positive) ** 2), sum((f - negative) ** 2)
            contrast.append(max(0, tau_positive * positive_term - tau_negative * negative_term + margin))
            better, worse = positive @ fa, {"printed": negative, "text": fa}[variant] @ fa
        ranking.append(max(0, -(better - worse) + margin_ranking))
    terms = {}
    if tau_positive or tau_negative:
        terms["cosine_embedding" if variant == "released_sibling" else "triplet"] = np.mean(contrast)
    if tau_anchor:
        terms["anchor"] = tau_anchor * np.mean(anchored)
    if tau_ranking:
        terms["ranking"] = tau_ranking * np.mean(ranking)
    return terms


def capot_mined(x, held, **settings):
    """CAPOT with the nearest other query, by the frozen vectors, as the negative of each."""
    distances = [[sum((first - second) ** 2) for second in held.anchor] for first in held.anchor]
    order = [sorted(range(len(row)), key=lambda j, row=row: row[j]) for row in distances]
    negative = [next((j for j in nearest_first if j != i), i) for i, nearest_first in enumerate(order)]
    return capot(SimpleNamespace(**{**vars(x), "negative": negative}), held, **settings)


def pairs(x, queries):
    """(score of the positive, score of a negative) of every pair of every group."""
    return [(group[0], negative) for group in group_scores(getattr(x, queries), x) for negative in group[1:]]


def pairwise(x, held, of="softmax", queries="query"):
    if of == "hinge":
        return {"pairwise": np.mean([max(0, 1 - positive + negative) for positive, negative in pairs(x, queries)])}
    return {"pairwise": np.mean([distribution(pair)[1] for pair in pairs(x, queries)])}


def bpr(x, held, queries="query"):
    return {"bpr": np.mean([-np.log(distribution(pair)[0]) for pair in pairs(x, queries)])}


def intent(x, held, alpha=1.0, tau=0.1, similarity="cosine"):
    """Eq. 7, 8 and 10 of intent, text by text and negative by negative, as means."""
    texts = [[query, *varied] for query, varied in zip(x.query, x.variations, strict=True)]
    sim = {"cosine": cosine, "dot": np.dot}[similarity]
    ranking, alignment = [], []
    for number, intent in enumerate(texts):
        positive, *negatives = np.split(x.passages, len(texts))[number]
        for text in intent:
            ranking += [-np.log(1 / (1 + np.exp(-(text @ positive - text @ negative)))) for negative in negatives]
        query, *varied = intent
        for variation in varied:
            similar = np.exp(sim(query, variation) / tau)
            dissimilar = sum(
                np.exp(sim(query, text) / tau)
                for i, intent_texts in enumerate(texts)
                if i != number
                for text in intent_texts
            )
            alignment.append(-np.log(similar / (similar + dissimilar)))
    return {"bpr": np.mean(ranking), **({"nt_xent": alpha * np.mean(alignment)} if alpha else {})}


def dual_contrastive(x, held, weight=0.1, tau=0.01, similarity="cosine"):
    sim = {"cosine": cosine, "dot": np.dot}[similarity]
    to_passage, to_query = [], []
    for number, (query, group) in enumerate(zip(x.query, np.split(x.passages, len(x.query)), strict=True)):
        positive, *negatives = group
        likeness = sim(query, positive)
        to_passage += [np.log(1 + np.exp((sim(query, negative) - likeness) / tau)) for negative in negatives]
        query_scores = [sim(positive, other_query) for i, other_query in enumerate(x.query) if i != number]
        to_query.append(np.log(1 + np.exp((max(query_scores) - likeness) / tau)) if query_scores else 0)
    terms = {"query_to_passage": np.mean(to_passage)}
    return {**terms, **({"passage_to_query": weight * np.mean(to_query)} if weight else {})}


def bce(x, held, queries="query"):
    terms = []
    for positive, *negatives in group_scores(getattr(x, queries), x):
        terms += [-np.log(1 / (1 + np.exp(-positive)))]
        terms += [-np.log(1 - 1 / (1 + np.exp(-negative))) for negative in negatives]
    return {"bce": np.mean(terms)}


def dual_self_teaching(x, held, beta=0.5, gamma=0.5, sigma=0.2, tau=1.0):
    """The cross-entropy of positives over queries, and what `_with_self_teaching` adds."""
    positives = [x.passages[place] for place in x.positive]
    labels = likelihood(all_scores(positives, x.query), range(len(positives)))
    return _with_self_teaching(x, held, labels, beta, gamma, sigma, tau)


def multi_positive(x, held, beta=0.5, gamma=0.5, sigma=0.2, tau=1.0):
    """Each positive passage against every pair of one of its texts and all texts of other queries."""
    texts = [[query, *varied] for query, varied in zip(x.query, x.variations, strict=True)]
    labels = []
    for number, place in enumerate(x.positive):
        others = sum(np.exp(x.passages[place] @ text) for i, group in enumerate(texts) if i != number for text in group)
        likenesses = [np.exp(x.passages[place] @ text) for text in texts[number]]
        labels += [-np.log(likeness / (likeness + others)) for likeness in likenesses]
    return _with_self_teaching(x, held, np.mean(labels), beta, gamma, sigma, tau)


def _with_self_teaching(x, held, labels, beta, gamma, sigma, tau):
    """Both directions for each number k of a variation, with the original queries as teachers."""
    to_passages, to_queries = [], []
    for k in range(x.variations.shape[1]):
        for teachers, taught, queries, passages in (
            (held.query, to_passages, x.variations[:, k], x.passages),
            (held.passages, to_queries, x.passages, x.variations[:, k]),
        ):
            fixed = held.passages if teachers is held.query else held.query
            teacher = [[score / tau for score in row] for row in all_scores(teachers, fixed)]
            taught.append(divergence(teacher, all_scores(queries, passages)))
    return {
        "nll": (1 - beta) * (1 - gamma) * likelihood(all_scores(x.query, x.passages), x.positive),
        "passage_to_query": (1 - beta) * gamma * labels,
        "self_teaching": beta * (1 - sigma) * np.mean(to_passages),
        "query_self_teaching": beta * sigma * np.mean(to_queries),
    }


def query_contrastive(x, held, weight=1.0):
    """Queries one by one: as in the data, as varied, and beside the other queries."""
    contrasts = []
    for number, (query, variation) in enumerate(zip(x.query, x.variation, strict=True)):
        likeness = np.exp(query @ variation)
        others = sum(np.exp(query @ other) for i, other in enumerate(x.query) if i != number)
        contrasts.append(-np.log(likeness / (likeness + others)))
    halves = [likelihood(all_scores(queries, x.passages), x.positive) for queries in (x.query, x.variation)]
    return {"nll": sum(halves) / 2, "query_contrast": weight * np.mean(contrasts)}

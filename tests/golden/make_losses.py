"""Losses from the equations of the papers, in NumPy alone and one query at a time; see README.md.

What a frozen teacher says is computed from `fixed`, so that gradients by differences do not pass through it.
"""

import math
from collections.abc import Callable

import numpy as np

Arrays = dict[str, np.ndarray]
B, N, K, D = 3, 2, 2, 4  # queries, negatives of each, variations of each, dimension
STEP = 1e-5


def inputs() -> Arrays:
    rng = np.random.default_rng(1)  # some hinges are below 0, and some positives are nearest to their own query
    shapes = {
        "query": (B, D),
        "variation": (B, D),
        "variations": (B, K, D),
        "passages": (B * (1 + N), D),
        "teacher_query": (B, D),
        "teacher_passages": (B * (1 + N), D),
        "anchor": (B, D),
        "teacher_scores": (B, 1 + N),
    }
    drawn = {name: rng.normal(size=shape).round(3) for name, shape in shapes.items()}
    return drawn | {"positive": np.arange(B) * (1 + N), "negative": np.array([1, 2, 0])}


def softmax(x):
    return np.exp(x) / np.exp(x).sum()


def divergence(target, of):
    """KL(softmax(target) ‖ softmax(of))."""
    return sum(p * math.log(p / q) for p, q in zip(softmax(target), softmax(of), strict=True))


def group(x, i):
    return x["passages"][i * (1 + N) : (i + 1) * (1 + N)]


def likelihood(x, which):
    """Negative log likelihood of each positive among all passages."""
    return np.mean([-math.log(softmax(x["passages"] @ x[which][i])[i * (1 + N)]) for i in range(B)])


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def margins(x, which):
    """s⁺ − s⁻ of every pair of a positive and a negative."""
    return [group(x, i)[0] @ x[which][i] - negative @ x[which][i] for i in range(B) for negative in group(x, i)[1:]]


def contrastive(x, fixed, queries="query"):
    return {"nll": likelihood(x, queries)}


def lce(x, fixed, queries="query"):
    return {"nll": np.mean([-math.log(softmax(group(x, i) @ x[queries][i])[0]) for i in range(B)])}


def bce(x, fixed):
    scores = [group(x, i) @ x["query"][i] for i in range(B)]
    return {"bce": np.mean([[-math.log(sigmoid(s[0])), *(-math.log(sigmoid(-n)) for n in s[1:])] for s in scores])}


def bpr(x, fixed):
    return {"bpr": np.mean([-math.log(sigmoid(margin)) for margin in margins(x, "query")])}


def pairwise(x, fixed, of="softmax"):
    loss = {"softmax": lambda margin: sigmoid(-margin), "hinge": lambda margin: max(0.0, 1 - margin)}[of]
    return {"pairwise": np.mean([loss(margin) for margin in margins(x, "query")])}


def self_teaching(x, fixed):
    taught = [divergence(fixed["passages"] @ fixed["query"][i], x["passages"] @ x["variation"][i]) for i in range(B)]
    return {"nll": likelihood(x, "query"), "self_teaching": np.mean(taught)}


def distillation(x, fixed, alpha=0.2):
    def learned(which):
        return np.mean([divergence(fixed["teacher_scores"][i], group(x, i) @ x[which][i]) for i in range(B)])

    terms = {"distillation": learned("query"), "distillation_variation": learned("variation")}
    return terms | {name: alpha * term for name, term in self_teaching(x, fixed).items()}


def rodr(x, fixed, nll=1.0, query_alignment=1.0, passage_alignment=0.2):
    teacher, student = fixed["teacher_query"] @ fixed["teacher_passages"].T, x["variation"] @ x["passages"].T
    return {
        "nll": nll * likelihood(x, "variation"),
        "query_alignment": query_alignment * np.mean([divergence(teacher[i], student[i]) for i in range(B)]),
        "passage_alignment": passage_alignment
        * np.mean([divergence(teacher[:, j], student[:, j]) for j in range(B * (1 + N))]),
    }


def cosine(one, other):
    return one @ other / math.sqrt((one @ one) * (other @ other))


def capot(x, fixed, variant="printed", tau_positive=1.0, tau_negative=0.1, tau_anchor=2.0, tau_ranking=1.0, **margin):
    query, positive, anchor = x["query"], x["variation"], fixed["anchor"]
    negative = [query[j] for j in x["negative"]]
    epsilon, ranking = margin.get("margin", 1.0), margin.get("margin_ranking", 0.0)
    found: dict[str, list[float]] = {"triplet": [], "cosine_embedding": [], "anchor": [], "ranking": []}
    for i in range(B):
        near, far = sum((query[i] - positive[i]) ** 2), sum((query[i] - negative[i]) ** 2)
        if variant == "released_sibling":
            better, worse = cosine(query[i], positive[i]), cosine(query[i], negative[i])
            found["cosine_embedding"].append(tau_positive * (1 - better) + tau_negative * max(0.0, worse - 0.2))
        else:
            better = positive[i] @ anchor[i]
            worse = (anchor[i] if variant == "text" else negative[i]) @ anchor[i]
            found["triplet"].append(max(0.0, tau_positive * near - tau_negative * far + epsilon))
        found["anchor"].append(tau_anchor * sum((query[i] - anchor[i]) ** 2))
        found["ranking"].append(tau_ranking * max(0.0, worse - better + ranking))
    return {name: np.mean(values) for name, values in found.items() if values}


def capot_mined(x, fixed, **settings):
    anchor = fixed["anchor"]
    apart = [[sum((anchor[i] - anchor[j]) ** 2) if i != j else math.inf for j in range(B)] for i in range(B)]
    return capot({**x, "negative": [of.index(min(of)) for of in apart]}, fixed, **settings)


def dual_contrastive(x, fixed, weight=0.1, tau=0.01, similarity="cosine"):
    near = cosine if similarity == "cosine" else np.dot
    first, second = [], []
    for i in range(B):
        own = [near(x["query"][i], passage) / tau for passage in group(x, i)]
        first += [math.log1p(math.exp(negative - own[0])) for negative in own[1:]]
        others = [near(x["query"][j], group(x, i)[0]) / tau for j in range(B) if j != i]
        second.append(math.log1p(math.exp(max(others) - own[0])))
    return {"query_to_passage": np.mean(first), "passage_to_query": weight * np.mean(second)}


def intent(x, fixed, alpha=1.0, tau=0.1, similarity="cosine"):
    near = cosine if similarity == "cosine" else np.dot
    texts = [[x["query"][i], *x["variations"][i]] for i in range(B)]
    ranking = [
        -math.log(sigmoid(group(x, i)[0] @ text - negative @ text))
        for i in range(B)
        for text in texts[i]
        for negative in group(x, i)[1:]
    ]
    alignment = []
    for i in range(B):
        others = [math.exp(near(texts[i][0], text) / tau) for j in range(B) if j != i for text in texts[j]]
        for text in texts[i][1:]:
            same = math.exp(near(texts[i][0], text) / tau)
            alignment.append(-math.log(same / (same + sum(others))))
    return {"bpr": np.mean(ranking), "nt_xent": alpha * np.mean(alignment)}


CASES: list[tuple[Callable[..., dict[str, float]], dict]] = [
    (contrastive, {}),
    (contrastive, {"queries": "variation"}),
    (lce, {}),
    (lce, {"queries": "variation"}),
    (bce, {}),
    (bpr, {}),
    (pairwise, {}),
    (pairwise, {"of": "hinge"}),
    (self_teaching, {}),
    (distillation, {}),
    (distillation, {"alpha": 0.5}),
    (rodr, {}),
    (rodr, {"nll": 0.5, "query_alignment": 0.1, "passage_alignment": 3.0}),
    (capot, {}),
    (capot, {"tau_positive": 0.2, "tau_negative": 0.6, "tau_anchor": 0.7, "margin": 0.4, "margin_ranking": 2.5}),
    (capot, {"tau_positive": 0.0, "tau_negative": 0.6, "margin": 4.0}),
    (capot, {"variant": "text", "tau_ranking": 0.7}),
    (capot, {"variant": "released_sibling", "tau_negative": 0.5, "margin_ranking": 0.9}),
    (capot_mined, {}),
    (capot_mined, {"variant": "released_sibling", "tau_positive": 0.2, "tau_negative": 0.6, "margin_ranking": 2.5}),
    (dual_contrastive, {}),
    (dual_contrastive, {"tau": 0.5}),
    (dual_contrastive, {"similarity": "dot", "tau": 1.0, "weight": 0.4}),
    (intent, {}),
    (intent, {"similarity": "dot", "tau": 2.0, "alpha": 0.3}),
]


def differences(loss, x, settings):
    """By input, the central differences of the sum of the terms."""
    found = {}
    for name, values in x.items():
        if values.dtype != float:
            continue
        found[name] = np.zeros_like(values)
        for at in np.ndindex(values.shape):
            moved = []
            for step in (STEP, -STEP):
                other = values.copy()
                other[at] += step
                moved.append(sum(loss({**x, name: other}, x, **settings).values()))
            found[name][at] = (moved[0] - moved[1]) / (2 * STEP)
    return {name: of.round(7).tolist() for name, of in found.items() if of.any()}


def golden() -> dict:
    x = inputs()
    cases = []
    for loss, settings in CASES:
        terms = {name: float(f"{term:.12g}") for name, term in loss(x, x, **settings).items()}
        cases.append(
            {"loss": {"name": loss.__name__, **settings}, "terms": terms, "gradients": differences(loss, x, settings)}
        )
    return {"inputs": {name: values.tolist() for name, values in x.items()}, "cases": cases}

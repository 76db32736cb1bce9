"""What the labels of a table say that its numbers are: a mean, a deviation, a count, a share, a statistic, p.

The table of words is small on purpose. A label that it does not have says nothing, and no rule is tried.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from robustdr.audit.cells import BOLD, Cell
from robustdr.audit.reported import Table
from robustdr.audit.sizes import sizes

# role: labels, in small letters; `_` is a space. One-letter labels stand for themselves: P and p differ.
_ROLES = {
    "n": "n N no count sample_size group_size participants subjects n_total",
    "mean": "mean M avg average variations_mean mean_score mean_rating x̄",
    "sd": "sd s.d. std stdev std_dev standard_deviation std._dev. deviation",
    "se": "se s.e. sem s.e.m. std_err std_error std._error standard_error",
    "median": "median mdn med median_score",
    "min": "min minimum min.",
    "max": "max maximum max.",
    "q1": "q1 25th_percentile 25% p25",
    "q3": "q3 75th_percentile 75% p75",
    "precision": "P precision prec prec. ppv",
    "recall": "R recall rec rec. tpr",
    "f1": "f1 F f1_score f1-score f-score f_score f-measure f_measure f1-measure",
    "accuracy": "accuracy acc acc. accuracy_(%)",
    "sensitivity": "sensitivity sens sens. sn",
    "specificity": "specificity spec spec. sp tnr",
    "tp": "tp true_positives true_positive",
    "fp": "fp false_positives false_positive",
    "fn": "fn false_negatives false_negative",
    "tn": "tn true_negatives true_negative",
    "low": "lower ll lower_bound lower_limit ci_low ci_lower lower_ci lower_95%_ci 95%_ci_lower 2.5% lcl lower_95% "
    "ci_lower_bound 95%_lower",
    "high": "upper ul upper_bound upper_limit ci_high ci_upper upper_ci upper_95%_ci 95%_ci_upper 97.5% ucl upper_95% "
    "ci_upper_bound 95%_upper",
    "interval": "ci 95%_ci 95_%_ci confidence_interval 95%_confidence_interval 99%_ci 90%_ci 95%-ci ci95 ci_95%",
    "estimate": "b B β beta coef coef. coefficient estimate est est. d md mean_difference difference effect "
    "effect_size cohen's_d hedges'_g g or odds_ratio aor hr hazard_ratio ahr irr rate_ratio risk_ratio "
    "unstandardized_b slope point_estimate",
    "t": "t t-value t_value t-stat t_stat t-statistic t_statistic t-test_statistic",
    "f": "F-value f-value f_value f_statistic f-statistic f-ratio",
    "chi2": "χ2 χ² chi2 chi² chi-square chi_square chi-squared chi_squared wald_χ2 wald_χ² χ^2 x2 x²",
    "z": "z Z z-value z_value wald_z z-score_of_test z-statistic z_statistic",
    "q": "q_statistic cochran's_q",
    "r": "r pearson_r pearson's_r pearson ρ rho spearman spearman's_ρ spearman_ρ spearman's_rho τ kendall kendall's_τ "
    "correlation corr corr. pearson_correlation spearman_correlation correlation_coefficient pcc srcc plcc "
    "pearson_ρ kendall_τ kendall_tau kendall's_tau spearman_r spearman_rho",
    "df": "df d.f. dof degrees_of_freedom",
    "df1": "df1 df_1 num_df numdf dfn",
    "df2": "df2 df_2 den_df dendf dfd error_df",
    "p": "p p-value p_value p-val pval sig sig. pr(>|t|) p>|t| p_>_|t| p(>|t|) prob pr(>|z|) p>|z| p_(two-tailed)",
    "total": "total sum overall all",
    "share": "percentage percent proportion share % pct success_rate hit_rate win_rate pass_rate response_rate "
    "acceptance_rate exact_match em auc auroc roc-auc ndcg mrr map top-1_accuracy top-5_accuracy prevalence",
    "mae": "mae mean_absolute_error",
    "rmse": "rmse root_mean_squared_error root_mean_square_error",
    "correct": "correct #_correct n_correct correct_answers solved passed",
    "agreement": "kappa κ cohen's_kappa cohen's_κ fleiss'_kappa fleiss'_κ cronbach's_α cronbach's_alpha icc "
    "krippendorff's_alpha krippendorff's_α",
}
_ROLE_OF = {words.replace("_", " "): name for name, texts in _ROLES.items() for words in texts.split()}
_PAIR = re.compile(r"(.*?)\s*(?:[(\[]([^()\[\]]*)[)\]]|[±/]\s*(.*))\s*")  # M (SD), n (%), mean ± SD, OR [95% CI]
_AFTER = re.compile(r".*?[,:]\s+([^,:]*)")  # Age, mean ± SD
_CAPTIONED = re.compile(
    r"\b(?:means?|averages?|M)\s*(?:±|\+/-|\(|and|with|,)\s*(?:\(?in \w+\)?\s*)?(?:SDs?|standard deviations?)\b", re.I
)
_FREEDOM = re.compile(r"\s*[(\[]\s*(?:df\s*=\s*)?(\d+(?:\.\d+)?)(?:\s*[,;]\s*(\d+(?:\.\d+)?))?\s*[)\]]")
_ERRORS = re.compile(
    r"(?:standard errors?|\bSEs?\b|\bs\.e\.)[^.;]{0,40}\b(?:parenthes[ei]s|brackets)|\(SEs?\)|\bb \(SE\)", re.I
)
_SIZE = re.compile(r"[(\[,;\s]*\b[nN]\s*=\s*(\d[\d,]*)\s*[)\]]?")
RATIO = re.compile(r"\b(?:a?or|a?hr|irr|(?:odds|hazard|rate|risk) ratio)\b")  # its error is one of its logarithm
SHARES = re.compile(r"(RR|nDCG|R|AP|P|Success|Judged|MRR|MAP|Recall|Precision|Accuracy|F1|EM|AUC)(@\d+)?", re.I)
_LEVELS = re.compile(r"([*∗†‡§]{1,3})[^*∗†‡§]{0,60}?\bp\s*[<≤]\s*(0?\.\d+)", re.I)
CHANGE = re.compile(
    r"Δ|∆|diff|gain|improv|drop|change|delta|loss|lift|reduc|increas|decreas|impr|gap|relative|\brel\b|growth|error|vs\.?\b|"
    r"\bwer\b|\bcer\b|overhead|speed|[+−]|latency|seconds|\btokens?\b|\bcosts?\b|\[(?:m?s|min|h|[KMG]?B)\]",
    re.I,
)
_HEADS = re.compile(r"(?:methods?|models?|systems?|approach(?:es)?)", re.I)
LONGEST = 500  # characters of a label that may name a role


class Entry(NamedTuple):
    """A number with its role, and the labels of its axis that say what it is about."""

    role: str
    subject: tuple[str, ...]
    cell: Cell


class Line(NamedTuple):
    """The numbers of one row, or of one column, that have a role."""

    entries: Sequence[Entry]

    def groups(self) -> Iterator[Mapping[str, Cell]]:
        """Yield the numbers about one thing by role; numbers that are about all join each group."""
        shared = {entry.role: entry.cell for entry in self.entries if not entry.subject}
        by_thing: dict[tuple[str, ...], dict[str, Cell]] = {}
        several: set[tuple[tuple[str, ...], str]] = set()
        for role, subject, cell in self.entries:
            cells = by_thing.setdefault(subject, {})
            if role in cells:
                several.add((subject, role))  # which of the two is meant?
            cells[role] = cell
        for subject, cells in by_thing.items():
            single = {role: cell for role, cell in cells.items() if (subject, role) not in several}
            if subject or len(by_thing) == 1:
                yield {**({} if several else shared), **single}
            else:
                yield single


def role(label: str, place: int = 0, places: int = 1) -> str:
    """The role that a label names for the value at a place of its cells: of `M (SD)`, mean for 0 and sd for 1; or ''.

    Args:
        places: how many values its cells have. An interval has two, `low` and `high`.
    """
    if len(label) > LONGEST:  # searching it would take the square of its length
        return ""
    text = _FREEDOM.sub("", _SIZE.sub("", " ".join(label.split()))).strip(" ↑↓:*†")
    if text == "F" and _FREEDOM.search(label):
        return "f"
    *further, last = dict.fromkeys((text, *_AFTER.findall(text)))
    for candidate in (*further, last):
        match = _PAIR.fullmatch(candidate)
        parts = (
            [_spelled_role(candidate)]
            if _spelled_role(candidate) or not match
            else [_spelled_role(match[1]), _spelled_role(match[2] or match[3] or "")]
        )
        if match and len(parts) == 2 and match[2] == "%":
            parts = [parts[0], "percent" if parts[0] == "n" else ""] if places > 1 else parts[:1]
        if parts == ["interval"] or (len(parts) == 2 and parts[1] == "interval"):
            first = [] if len(parts) == 1 else [parts[0] or "estimate"]
            parts = [*first, "low", "high"] if places == len(first) + 2 else first if places == 1 else []
        if len(parts) == 2 and places == 1:
            parts = []
        if any(parts) and (all(parts) or candidate is last):
            return parts[place] if place < len(parts) else ""
    return ""


def _spelled_role(text: str) -> str:
    bare = text.strip(" ↑↓:*†,").replace("_", " ")
    for spelled in (bare, bare.casefold() if len(bare) > 1 else bare):
        if spelled in _ROLE_OF:
            return _ROLE_OF[spelled]
    return ""


def lines(table: Table) -> Iterator[Line]:
    """Yield the rows with roles that heads of columns give, and the columns with those that labels of rows give."""
    firsts = [*(table.firsts or range(len(table.columns)))]
    # of each column: the first one of its cells' values, the place of its value among them, and how many these are
    places = [(first, number - first, firsts.count(first)) for number, first in enumerate(firsts)]
    caption_roles = ("mean", "sd") if _CAPTIONED.search(table.caption) else ()
    caption_roles = ("estimate", "se") if not caption_roles and _ERRORS.search(table.caption) else caption_roles
    by_column = []
    for number, (base, place, several) in enumerate(places):
        labels = [label for name, label in table.columns[number].items() if name != "value"]
        role_and_labels = _roles(labels, table.columns[base].get("value", ""), place, several)
        if caption_roles and several == 2 and not role_and_labels[0]:
            role_and_labels = caption_roles[place], tuple(labels)
        by_column.append(role_and_labels)
    stacks = {_row_above(label) for _, place in table.rows for key, label in place.items() if key != "value"} - {""}
    of_rows: dict[int, list[Entry]] = {}
    of_columns: dict[tuple[int, int], list[Entry]] = {}
    rows = dict(table.rows)
    for cell in table.cells:
        name, subject = by_column[cell.column]
        if name:
            of_rows.setdefault(cell.line, []).append(Entry(name, subject, cell))
        base, place, several = places[cell.column]
        labels = [label for key, label in rows[cell.line].items() if key != "value"]
        name, subject = _roles(labels, rows[cell.line].get("value", ""), place, several)
        if not name and not place and stacks & {*labels}:  # its error, its p or its interval stands below
            name, subject = "estimate", tuple(labels)
        if name:
            of_columns.setdefault((base, 0), []).append(Entry(name, subject, cell))
    for entries in (*of_rows.values(), *of_columns.values()):
        yield Line(entries)


def _roles(labels: Sequence[str], value: str, place: int, places: int) -> tuple[str, tuple[str, ...]]:
    """The role that one of the labels names, and the other labels."""
    if value == "ci" and places == 2:
        return ("low", "high")[place], tuple(labels)
    if not place and value in ("median", "deviation", "lower_bound", "upper_bound"):
        return {"deviation": "sd", "lower_bound": "low", "upper_bound": "high"}.get(value, value), tuple(labels)
    for number, label in enumerate(labels):
        if name := role(label, place, places):
            rest = (text if position != number else _row_above(label) for position, text in enumerate(labels))
            return name, tuple(filter(None, rest))
    return "", ()


def _row_above(label: str) -> str:
    """What a label such as `Age, SE` is about: the label of the row above; '' for others."""
    last = label.rsplit(", ", 1)
    return last[0] if len(last) == 2 and _spelled_role(last[1]) in ("se", "sd", "p", "interval") else ""


def freedom_of(label: str) -> tuple[float, ...]:
    """The degrees of freedom in the head of a statistic: of `F(2, 87)`, 2 and 87."""
    match = _FREEDOM.search(label)
    return tuple(float(text) for text in match.groups() if text) if match and role(label) else ()


def size_of(labels: Sequence[str]) -> int:
    """The size that labels print as n = 24; 0 if none or several."""
    printed_sizes = {int(match[1].replace(",", "")) for label in labels for match in _SIZE.finditer(label)}
    return printed_sizes.pop() if len(printed_sizes) == 1 else 0


def caption_size(table: Table) -> int:
    """The one size that a caption names; 0 if none or several."""
    caption_sizes = sizes(table.caption)
    return caption_sizes[0].number if len(caption_sizes) == 1 else 0


def levels_of_marks(text: str) -> dict[str, float]:
    """The levels of p that a caption or a legend gives marks: of `* p < .05, ** p < .01`, .05 for * and .01 for **."""
    return {mark: float(level) for mark, level in _LEVELS.findall(text)}


def mark_of(cell: Cell, levels: Mapping[str, float]) -> str:
    """The longest mark of a cell that has a level; '' if none has one."""
    marks = cell.mark.replace(BOLD, "")
    return max((mark for mark in levels if mark in marks), key=len, default="")


def is_of_labels(cell: Cell) -> bool:
    """Whether a cell may be a number of what its labels say: no bound, no change (`+2.4%`), and of no row of heads."""
    is_change = cell.printed.startswith("+") or (cell.number < 0 and cell.printed.endswith("%"))
    return not cell.hedge and not is_change and not any(map(_HEADS.fullmatch, cell.coordinates.values()))


def is_share(label: str) -> bool:
    """Whether a label names a share: between 0 and 1, or 0 and 100 %."""
    bare = re.sub(r"[↑↓%]|[(\[]\s*%?\s*[)\]]", "", label).strip()
    shares = ("share", "accuracy", "f1", "sensitivity", "specificity")
    return len(bare) > 1 and (role(bare) in shares or bool(SHARES.fullmatch(bare)))

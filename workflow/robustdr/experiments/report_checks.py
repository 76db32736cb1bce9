"""Checks of tables, figures and claims against the rest of the configuration."""

from pathlib import Path

from robustdr.audit.reported import load
from robustdr.claims.claim import Claims
from robustdr.claims.tests import SmallerDrop
from robustdr.core.checks import check_known
from robustdr.core.errors import UserError
from robustdr.evaluation.names import WORST
from robustdr.experiments.models import ORIGINAL, Config, Evaluation, Experiment
from robustdr.reporting.spec import Spec, TableSpec


def _known_system(config: Config, message_place: str, name: str) -> None:
    """Check that a name is a system, or a snapshot of a trained system."""
    system, dot, percent = name.partition(".at")
    check_known(message_place, system, config.systems)
    if dot and (not getattr(config.systems[system], "loss", None) or percent not in map(str, range(1, 100))):
        raise UserError(
            f"{message_place}: {name}: a snapshot is <system>.at<percent> of a system with a loss, percent 1 to 99"
        )


def _query_sets(evaluation: Evaluation) -> list[str]:
    """Return the query sets that a table, figure or claim may name: original queries, means and variations."""
    return [ORIGINAL, "variations_mean", *evaluation.means, *evaluation.variations]


def check_report(config: Config, experiment: Experiment, spec: Spec, message_place: str) -> None:
    """Check that a table or figure names known systems, and roles, measures and query sets of its paper's evaluation.

    Raises:
        UserError: key, value and what is allowed.
    """
    for role in spec.roles:
        check_known(f"{message_place}.collections", role, experiment.evaluation)
    role_measures = {role: experiment.evaluation[role].measures for role in spec.roles}
    if isinstance(spec, TableSpec) and spec.any_measure:
        all_measures = [measure for measures in role_measures.values() for measure in measures]
        role_measures = {role: all_measures for role in spec.roles}
    for role in spec.roles:
        for field, allowed in (
            ("measure", role_measures[role]),
            ("query_set", _query_sets(experiment.evaluation[role])),
        ):
            for value in spec.key_values(field):
                check_known(f"{message_place}.{field}", value, allowed)
    for encoder in spec.key_values("encoder"):
        check_known(f"{message_place}.encoders", encoder, config.bound("checkpoints"))
    for system, _ in spec.pairs():
        _known_system(config, f"{message_place}.systems", system)


def check_claims(config: Config, experiment: Experiment, claims: Claims, path: Path) -> None:
    """Check that claims and controls name known systems, and roles, measures and query sets of the evaluation.

    Raises:
        UserError: file, key, value and what is allowed.
    """
    for number, claim in enumerate(claims.claims):
        for subject in claim.subjects:
            check_known(f"{path}: claims.{number}.subjects", subject, config.bound("proxies"))
    for key, tested in claims.tested().items():
        message_place = f"{path}: {key}"
        check_known(f"{message_place}.role", tested.role, experiment.evaluation)
        evaluation = experiment.evaluation[tested.role]
        for measure in tested.measures:
            check_known(f"{message_place}.measure", measure, evaluation.measures)
        for name, test in tested.tests().items():
            for argument, system in test.systems():
                _known_system(config, f"{message_place}.{name}.{argument}", system)
            for argument, query_set in test.names_under("query_sets", "against"):
                worst = [WORST] if isinstance(test, SmallerDrop) else []
                check_known(f"{message_place}.{name}.{argument}", query_set, [*_query_sets(evaluation), *worst])


def check_printed(experiment: Experiment, claims: Claims, folder: Path) -> None:
    """Check a paper's reported.yaml, if there is one, and that its tables, figures and claims name tables in it.

    Raises:
        UserError: file, line, key, value and what is allowed.
    """
    path = folder / "reported.yaml"
    if not path.is_file():
        return
    tables = load(path).tables
    for part in ("tables", "figures"):
        for name, spec in getattr(experiment, part).items():
            for table in spec.key_values("reported"):
                check_known(f"{folder / 'experiment.yaml'}: {part}.{name}.reported", table, tables)
    for number, claim in enumerate(claims.claims):
        for table in claim.reported or ():
            check_known(f"{folder / 'claims.yaml'}: claims.{number}.reported", table, tables)

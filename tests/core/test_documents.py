"""The line of a key in a YAML file."""

import pytest

from robustdr.core.documents import line_of, located
from robustdr.core.errors import UserError

TEXT = """\
systems:
  one: &one
    label: One
    loss: {name: rodr}
  two:
    <<: *one
    label: Two
  three: {<<: [*one], budget: x}
  four: *one
tables:
  - title: first
  - title: second
"""


@pytest.fixture()
def file(tmp_path):
    path = tmp_path / "some.yaml"
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("systems", 1),
        ("systems.two.label", 7),
        ("systems.two.loss.name", 5),  # taken over there
        ("systems.three.label", 8),
        ("systems.three.budget", 8),
        ("systems.four.loss.name", 9),
        ("tables.1.title", 12),
        ("systems.two.nothing.deeper", 5),  # as far as the keys go
        ("nothing", None),
        ("tables.9", 10),
    ],
)
def test_the_line_of_a_key(file, keys, line):
    assert line_of(file, keys.split(".")) == line


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("systems.two.label: 3 is no text", 7),
        ("systems.two: key: 'label' is unknown; allowed: a, b", 7),
        ("systems.two: key: 'lable' is unknown; allowed: a, b", 5),
        ("top level: empty", None),
    ],
)
def test_a_message_has_the_line_after_its_file(file, message, line):
    at = f":{line}" if line else ""
    assert str(located(UserError(f"{file}: {message}"))) == f"{file}{at}: {message}"


def test_messages_without_a_file_or_with_one_that_is_gone_stay(tmp_path):
    for message in ("no file here", f"{tmp_path / 'gone.yaml'}: systems.two: wrong", "measures.yaml"):
        assert str(located(UserError(message))) == message

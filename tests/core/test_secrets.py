"""A secret in a URL is refused where URLs come in, and no message shows it."""

import time

import pytest

from robustdr.cli import main
from robustdr.core.errors import UserError, redacted
from robustdr.core.secrets import check_url
from robustdr.core.yaml_files import checked
from robustdr.systems.served import Settings
from robustdr.variations import create

SECRET = "s3cr3t"
HOLDING = [
    f"http://user:{SECRET}@host/v1",
    f"https://{SECRET}@host/v1",
    f"http://user:pass/{SECRET}@host/v1",
    f"user:{SECRET}@host/v1",
    f"http://user:{SECRET}%40host/v1",
    f"http://host/v1?api-key={SECRET}",
    f"http://host/v1?api-version=1&API_KEY={SECRET}",
    f"http://host/v1?access_token={SECRET}",
    f"http://host/v1;client.secret={SECRET}",
    f"http://host/v1#Password={SECRET}",
    f"http://host/v1?a%70i%2dk%65y={SECRET}",
    f"http://host/v1?sig={SECRET}",
]
ASK = "set an environment variable to the secret, and give that variable's name as the key (`key: NAME`, `--key NAME`)"


@pytest.mark.parametrize("url", HOLDING)
def test_a_secret_is_refused(url):
    with pytest.raises(UserError) as caught:
        check_url(url)
    assert str(caught.value).endswith(ASK) and SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["http://localhost:8000/v1", "https://h/v1?api-version=2024-10-21&design=x", "http://[::1]:8/v1?author=x"]
)
def test_other_urls_are_taken(url):
    assert check_url(url) == url and redacted(f"{url}: wrong") == f"{url}: wrong"


@pytest.mark.parametrize("url", HOLDING)
def test_evaluate_writes_and_prints_none(url, tmp_path, capsys):
    for name, line in {"corpus.tsv": "d1\ta cat\n", "queries.tsv": "q1\tcats\n", "qrels.txt": "q1 0 d1 1\n"}.items():
        (tmp_path / name).write_text(line)
    files = {"corpus": "corpus.tsv", "queries": "queries.tsv", "qrels": "qrels.txt", "output": "out"}
    arguments = [word for name, file in files.items() for word in (f"--{name}", str(tmp_path / file))]
    assert main(["evaluate", "--model", "m", "--server", url, *arguments]) == 2
    output = "".join(capsys.readouterr())
    assert output.startswith("robustdr: --server: the URL holds ") and output.count("\n") == 1 and SECRET not in output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("url", HOLDING)
def test_a_server_of_the_configuration_has_none(url, tmp_path):
    with pytest.raises(UserError) as caught:
        checked(Settings, {"label": "m", "kind": "served", "model": "m", "url": url}, tmp_path / "experiment.yaml")
    assert SECRET not in str(caught.value)
    assert "url: the URL holds " in str(caught.value) or "url: '…@host/v1' " in str(caught.value)


@pytest.mark.parametrize("url", HOLDING)
def test_a_language_model_s_address_has_none(url):
    with pytest.raises(UserError, match="variation llm: base_url: the URL holds ") as caught:
        create("llm", {"engine": "server", "base_url": url})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("url", [url for url in HOLDING if "%" not in url])
def test_no_message_shows_one(url, capsys, monkeypatch, tmp_path):
    assert SECRET not in redacted(f"a.yaml:3: url: '{url}' should be another, see {url}")
    with pytest.raises(SystemExit):
        main(["variations", "list", f"--server={url}"])
    assert "unrecognized arguments" in (message := capsys.readouterr().err) and SECRET not in message

    def fail(*arguments):
        raise OSError(f"{url} cannot be reached")

    monkeypatch.setattr("robustdr.variations.command.vary", fail)
    assert main(["vary", "q", "-o", str(tmp_path / "out"), "--variation", "typo"]) == 2
    assert "cannot be reached" in (message := capsys.readouterr().err) and SECRET not in message


def test_a_message_says_where_and_what():
    assert redacted("http://user:x@host/v1?a=1&api-key=y&b=2: bad") == "http://…@host/v1?a=1&api-key=…&b=2: bad"


@pytest.mark.parametrize("text", ["see a@b.c: x", "model org/name@main", "'foo: bar@baz'", "q.tsv:3: key=value"])
def test_ordinary_words_stay(text):
    assert redacted(text) == text


@pytest.mark.parametrize("text", ["://" * 30_000, "x:" * 50_000, "?key" * 20_000, "?" + "a" * 50_000])
def test_a_long_message_takes_no_time(text):
    start = time.process_time()
    redacted(text)
    assert time.process_time() - start < 2

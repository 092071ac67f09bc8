"""The configuration is strict: a typing error is told with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from incident import RIGHT

from triage.reports import config
from triage.reports.check import Checker


def read(text: str, folder: Path, name: str = ".triage.yaml") -> config.Config | None:
    path = folder / name
    path.write_text(text)
    return config.read(path)


def test_both_files_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "signatures").mkdir()
    yaml = read(
        "fields: [id]\nsections: [summary]\nfacts: [gpu]\nlevels: {TRI041: error, no-analysis: off}\nallow: [svc]\n"
        "timezone: UTC\nsignatures: [signatures]\nbaseline: b.json\nignore:\n  - {code: [TRI042], files: 'old/*', reason: lost}\n",
        tmp_path,
    )
    toml = read(
        '[tool.triage.incidents]\nfields = ["id"]\nsections = ["summary"]\nfacts = ["gpu"]\nallow = ["svc"]\ntimezone = "UTC"\n'
        'signatures = ["signatures"]\nbaseline = "b.json"\nlevels = {TRI041 = "error", no-analysis = "off"}\n'
        '[[tool.triage.incidents.ignore]]\ncode = ["TRI042"]\nfiles = "old/*"\nreason = "lost"\n',
        tmp_path, "pyproject.toml",
    )  # fmt: skip
    assert yaml == toml
    assert yaml is not None
    assert yaml.levels == {"TRI041": "error", "TRI061": "off"}
    assert yaml.ignores("TRI042", "no-log", "old/a.md")
    assert not yaml.ignores("TRI042", "no-log", "new/a.md")


@pytest.mark.parametrize(("text", "line", "words"), [
    ("timezone: UTC\nfelds: [id]\n", 2, "did you mean 'fields'"),
    ("\nfacts: [gpu, versons]\n", 2, "did you mean 'versions'"),
    ("levels:\n  TRI999: error\n", 2, "unknown code 'TRI999'"),
    ("levels:\n  TRI041: eror\n", 2, "did you mean 'error'"),
    ("fields: id\n", 1, "must be a list of texts"),
    ("a: [\n", 2, ""),
    ("- a\n", 1, "must be `name: value` lines"),
    ("ignore:\n  - {code: TRI042}\n", 2, "gives no reason"),
    ("ignore:\n  - {code: TRI042, reason: x, path: y}\n", 1, "nothing else"),
    ("signatures: [nowhere]\n", 1, "does not exist"),
    ("timezone: 1\n", 1, "must be a text"),
])  # fmt: skip
def test_errors_have_a_place(text: str, line: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(config.ConfigError) as caught:
        read(text, tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / '.triage.yaml'}:{line}: ")
    assert words in str(caught.value)


def test_toml_errors_have_a_place(tmp_path: Path) -> None:
    with pytest.raises(config.ConfigError, match=r"pyproject.toml:2: "):
        read("a = 1\nb = \n", tmp_path, "pyproject.toml")
    assert read("[tool.other]\n", tmp_path, "pyproject.toml") is None


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    read("timezone: UTC\n", tmp_path)
    assert config.config_for(tmp_path / "deep" / "er" / "a.md").timezone == "UTC"
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    assert config.config_for(other / "a.md").timezone == ""


def test_what_it_says_is_done(tmp_path: Path) -> None:
    read("levels: {TRI061: off, TRI012: warning}\nallow: [10.1.2.3]\nfacts: []\nignore: [{code: TRI021, reason: short}]\n", tmp_path)
    text = RIGHT.replace("One job.", "10.1.2.3 and 10.1.2.4").replace("## Impact", "## x").replace("recheck:", "x:")
    (tmp_path / "a.md").write_text(text)
    found = Checker().check(tmp_path / "a.md").problems
    assert [(p.code, p.level) for p in found] == [("TRI012", "warning")]
    assert "10.1.2.4" in found[0].text


def test_signatures_of_the_repository_load_only_when_named(tmp_path: Path) -> None:
    (tmp_path / "signatures" / "site").mkdir(parents=True)
    (tmp_path / "signatures" / "site" / "site-x.yaml").write_text(
        "id: site-x\ntitle: X\nseverity: fatal\nrole: cause\naction: drain\nmatch: [{regex: 'site tool says x'}]\nmeans: x\n"
        "basis: judgement\nsources: [site]\nplaybook: find-the-cause\nexamples: {match: [{text: 'site tool says x'}], ignore: [{text: y}]}\n"
    )
    (tmp_path / ".git").mkdir()
    text = RIGHT.replace("signature: xid-79", "signature: site-x").replace("playbook: gpu-off-the-bus\n", "")
    text = text.replace("```log title", "```log\nsite tool says x\n```\n\n```bash title")
    (tmp_path / "a.md").write_text(text)
    assert "TRI003" in [p.code for p in Checker().check(tmp_path / "a.md").problems]
    config._upward.cache_clear()
    read("signatures: [.]\n", tmp_path)
    assert [p.code for p in Checker().check(tmp_path / "a.md").problems] == ["TRI061"]


def test_outside_of_a_repository_the_folder_of_the_call_counts_or_the_reports_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "incidents" / "a.md"
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    assert config.config_for(report).folder == tmp_path
    monkeypatch.chdir(tmp_path / "other")
    assert config.config_for(report).folder == tmp_path / "incidents"

"""The hooks as pre-commit installs and runs them, on real git repositories.

pre-commit builds an environment with pip. The dependencies and the build backend are those of this test's own
environment (PYTHONPATH), so that only the package itself is built: fast, and without a package index.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "fixtures" / "incidents"
PARTS = ("triage", "signatures", "playbooks", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
NO_INDEX = r"(?i)failed to fetch|error sending request|no solution found|was not found in|not find a version|connect"
PLANTED = yaml.safe_load((REPORTS / "planted.yaml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


def git(folder: Path, *arguments: str, check: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    identity = {f"GIT_{who}_{what}": "a@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    settings = ["-c", "core.autocrlf=false", "-c", "core.hooksPath=.git/hooks"]
    command = ["git", *settings, *arguments]
    done = subprocess.run(command, cwd=folder, env={**clean, **identity, **env}, capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    """A git repository with the package and its hooks, as it would be cloned."""
    folder = tmp_path / "hooks"
    folder.mkdir()
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, folder / part)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "hooks")
    return folder


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    here = str(Path(sys.executable).parent)
    return {
        "PRE_COMMIT_HOME": str(tmp_path / "home"), "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "false",
        "PYTHONPATH": sysconfig.get_paths()["purelib"],
        "PATH": here + os.pathsep + os.environ["PATH"], "PRE_COMMIT_COLOR": "never", "TRIAGE_REDACT_KEY": "a key of the test",
    }  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository of somebody with ten right reports."""
    folder = tmp_path / "repo"
    (folder / "incidents").mkdir(parents=True)
    for path in sorted(REPORTS.glob("*.md")):
        if path.name not in PLANTED:
            shutil.copy(path, folder / "incidents" / path.name)
    (folder / "README.md").write_text("# token = 'hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH', but no report\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    return folder


def pre_commit(folder: Path, *arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", *arguments]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return subprocess.run(command, cwd=folder, env={**clean, **env}, capture_output=True, text=True, check=False)


def configure(folder: Path, hooks: Path, *arguments: str) -> None:
    rev = git(hooks, "rev-parse", "HEAD").stdout.strip()
    incident: dict[str, object] = {"id": "triage-incident"}
    if arguments:
        incident["args"] = list(arguments)
    config = {"repos": [{"repo": str(hooks), "rev": rev, "hooks": [incident, {"id": "triage-lint"}]}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git(folder, "add", "-A")


def plant(folder: Path, name: str, newline: str = "\n") -> Path:
    target = folder / "incidents" / name
    target.write_bytes((REPORTS / name).read_bytes().replace(b"\n", newline.encode()))
    git(folder, "add", "-A")
    return target


def test_try_repo(hooks: Path, repo: Path, env: dict[str, str]) -> None:
    plant(repo, "2026-11-30-symptom-as-cause.md")
    plant(repo, "2026-11-30-secret-in-log.md")
    done = pre_commit(repo, "try-repo", str(hooks), "triage-incident", "--all-files", env=env)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2026-11-30-symptom-as-cause.md:6:1: TRI002" in done.stdout
    assert "2026-11-30-secret-in-log.md:57:19: TRI010" in done.stdout
    assert done.stdout.count("TRI0") == 2


@pytest.mark.skipif(not shutil.which("prek", path=str(Path(sys.executable).parent)), reason="prek is not installed")
def test_prek_reads_the_same_manifest(hooks: Path, repo: Path, env: dict[str, str], tmp_path: Path) -> None:
    plant(repo, "2026-11-30-symptom-as-cause.md")
    prek = str(Path(sys.executable).parent / "prek")
    command = [prek, "try-repo", str(hooks), "triage-incident", "--all-files"]
    home = {"PREK_HOME": str(tmp_path / "prek")}
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    done = subprocess.run(command, cwd=repo, env={**clean, **env, **home}, capture_output=True, text=True, check=False)
    if "2026-11-30-symptom-as-cause.md" not in done.stdout and re.search(NO_INDEX, done.stdout + done.stderr):
        pytest.skip("prek builds with uv, which needs a package index: " + done.stderr.strip()[-200:])
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2026-11-30-symptom-as-cause.md:6:1: TRI002" in done.stdout
    assert done.stdout.count(":1: TRI") == 1


def test_commits(hooks: Path, repo: Path, env: dict[str, str]) -> None:
    configure(repo, hooks)
    assert pre_commit(repo, "install", "--install-hooks", env=env).returncode == 0
    first = git(repo, "commit", "-m", "right reports, in parallel batches", **env)
    assert "incident reports fit their logs" in first.stderr + first.stdout
    assert "Passed" in first.stderr + first.stdout
    # A wrong one stops the commit; only what is committed is looked at.
    plant(repo, "2026-11-30-wrong-cause.md")
    wrong = git(repo, "commit", "-m", "wrong", check=False, **env)
    assert wrong.returncode == 1
    assert "2026-11-30-wrong-cause.md:6:1: TRI001" in wrong.stderr + wrong.stdout
    assert "in 1 of 1 file" in wrong.stderr + wrong.stdout
    git(repo, "rm", "-qf", "incidents/2026-11-30-wrong-cause.md")
    # With --fix the first commit stops with the mended file, the second passes; line ends of Windows stay.
    configure(repo, hooks, "--fix")
    git(repo, "commit", "-qm", "fix", **env)
    path = plant(repo, "2026-11-30-person-in-log.md", "\r\n")
    mended = git(repo, "commit", "-m", "mended", check=False, **env)
    assert "files were modified by this hook" in mended.stderr + mended.stdout
    text = path.read_bytes()
    assert b"jsmith" not in text
    assert text.count(b"\r\n") == text.count(b"\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "mended", **env)
    # The other hook proves signatures.
    (repo / "signatures").mkdir()
    (repo / "signatures" / "site-x.yaml").write_text("id: site-x\ntitel: x\n")
    git(repo, "add", "-A")
    lint = git(repo, "commit", "-m", "lint", check=False, **env)
    assert lint.returncode == 1
    assert "unknown field 'titel'" in lint.stderr + lint.stdout


def test_the_manifest_uses_what_pre_commit_and_prek_both_know() -> None:
    known = {
        "id", "name", "description", "entry", "args", "language", "types", "files", "exclude", "pass_filenames",
        "minimum_pre_commit_version",
    }  # fmt: skip
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["triage-incident", "triage-lint"]
    for hook in hooks:
        assert set(hook) <= known
        assert hook["language"] == "python"

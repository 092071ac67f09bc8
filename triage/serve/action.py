"""What the GitHub Action runs: the text of the event, or log files, into the job summary and one comment.

All inputs come from the environment and the event's file, as GitHub Actions sets them.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import httpx2

from triage.serve import github
from triage.serve.analysis import Analysis, analyse
from triage.serve.brief import brief, is_worth_an_answer
from triage.serve.desk import Answer
from triage.serve.workers import Job


def main() -> int:
    """The exit status: 0, also where a fault was found (the issue is about it); 2 where nothing could be read."""
    env = os.environ
    event = json.loads(Path(env["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    paths = env.get("TRIAGE_PATHS", "").split()
    text = "" if paths else github.text_of(env.get("GITHUB_EVENT_NAME", ""), event)
    if not paths and not text:
        print("triage: no log for us in this event")
        return 0
    missing = [path for path in paths if not Path(path).exists()]
    if missing:
        print(f"triage: no file {', '.join(missing)}", file=sys.stderr)
        return 2
    found: Analysis = analyse(Job(text=None if paths else text, paths=tuple(paths)), lambda _done, _size: None)
    body = github.comment(brief(Answer(found.report, None, None)))
    if summary := env.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as out:
            out.write(body + "\n")
    issue = event.get("issue") or event.get("pull_request")
    if env.get("TRIAGE_COMMENT", "true") == "true" and issue and is_worth_an_answer(found.report):
        door = github.GitHub(env["GITHUB_TOKEN"], env.get("GITHUB_API_URL", "https://api.github.com"))
        try:
            door.say(env["GITHUB_REPOSITORY"], int(issue["number"]), body)
        except httpx2.HTTPError as error:  # a token of a fork may not write: the summary has the answer
            print(f"triage: no comment was written: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

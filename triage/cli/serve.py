"""`triage serve` and `triage mcp`: the help desk and the tools for assistants."""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli.history import StoreOption, default_store, open_history
from triage.cli.streams import note

if TYPE_CHECKING:
    from fastapi import APIRouter

    from triage.serve.desk import Desk
    from triage.serve.settings import Settings

_CONNECTIONS = 1000  # at once; one more is 503, before files and memory of the process end
_INSTALL = 'needs `pip install "gpu-triage[{extra}]"`'


def serve(
    host: Annotated[str, typer.Option("--host", help="Address to listen on; 0.0.0.0 lets others in.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535)] = 8080,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="Where people reach it, for links.")] = "",
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes that analyse.")] = os.cpu_count() or 2,
    memory: Annotated[int, typer.Option("--memory", metavar="MIB", min=512, help="Limit of one analysis.")] = 2048,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="Limit of one analysis.")] = 120.0,
    rate: Annotated[str, typer.Option("--rate", help="Analyses of one address.")] = "60/minute",
    proxy: Annotated[
        str, typer.Option("--proxy", metavar="ADDRESS", help="Proxy whose X-Forwarded-For and -Proto are believed.")
    ] = "",
    keep: Annotated[float, typer.Option("--keep", metavar="DAYS", min=0.01, help="How long reports stay.")] = 90.0,
    store: StoreOption = None,
) -> None:
    """Start the help desk: a page, an API, doors for chats.

    A door is open when its secrets are in the environment. Slack: SLACK_BOT_TOKEN with SLACK_SIGNING_SECRET (HTTP) or
    SLACK_APP_TOKEN (Socket Mode). GitHub: GITHUB_TOKEN with TRIAGE_GITHUB_SECRET. Mattermost: TRIAGE_MATTERMOST_TOKEN.
    """
    try:
        import uvicorn

        from triage.history import DAY
        from triage.serve.analysis import analyse, warm
        from triage.serve.app import create
        from triage.serve.desk import Desk
        from triage.serve.scratch import scratch
        from triage.serve.settings import Settings
        from triage.serve.workers import Bounds, Workers
    except ImportError as error:
        raise typer.BadParameter(f"`triage serve` {_INSTALL.format(extra='serve')} ({error.name} is missing)") from None
    bounds = Bounds(seconds=seconds, memory=memory << 20)
    settings = Settings(url=url.rstrip("/"), rate=rate, keep=keep * DAY, bounds=bounds)
    history = open_history(store)
    history.keep = settings.keep
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises it again when it has ended: we end, too
    _listen(host, port)
    with scratch():
        desk = Desk(history, Workers(analyse, workers, bounds, warm))
        app = create(desk, settings, _doors(desk, settings))
        shown = f"[{host}]" if ":" in host else host
        note(f"help desk on http://{shown}:{port}, reports in {store or default_store()}")
        uvicorn.run(
            app, host=host, port=port, log_level="warning", server_header=False, proxy_headers=bool(proxy),
            forwarded_allow_ips=proxy,
            limit_concurrency=_CONNECTIONS, timeout_graceful_shutdown=int(seconds) + 10,
        )  # fmt: skip


def _listen(host: str, port: int) -> None:
    """A usage error where nothing can listen at this address, before anything says that something does."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (while")[0]
        text = f"cannot listen on {host}, port {port}: {why}; choose another."
        raise typer.BadParameter(text, param_hint="'--port' / '--host'") from None


def _doors(desk: Desk, settings: Settings) -> list[APIRouter]:
    """The doors that are configured; standard error says which."""
    found = []
    env = os.environ.get
    if token := env("SLACK_BOT_TOKEN"):
        found += _slack(desk, settings, token, env("SLACK_SIGNING_SECRET", ""), env("SLACK_APP_TOKEN", ""))
    if (token := env("GITHUB_TOKEN")) and (secret := env("TRIAGE_GITHUB_SECRET")):
        from triage.serve import github

        api = env("GITHUB_API_URL", "https://api.github.com")
        found.append(github.routes(desk, settings, secret, github.GitHub(token, api)))
        note("door: GitHub, POST /github")
    if token := env("TRIAGE_MATTERMOST_TOKEN"):
        from triage.serve import mattermost

        found.append(mattermost.routes(desk, settings, token))
        note("door: Mattermost, POST /mattermost")
    return found


def _slack(desk: Desk, settings: Settings, token: str, secret: str, socket: str) -> list[APIRouter]:
    try:
        from triage.serve import slack
    except ImportError:
        raise typer.BadParameter(f"Slack {_INSTALL.format(extra='slack')}") from None
    if not (secret or socket):  # requests under an empty secret can be signed by anybody
        raise typer.BadParameter("Slack needs SLACK_SIGNING_SECRET (HTTP) or SLACK_APP_TOKEN (Socket Mode), too")
    try:
        app = slack.create(desk, settings, token, secret)
    except slack.Unreachable as error:
        raise typer.BadParameter(str(error), param_hint="'SLACK_BOT_TOKEN'") from None
    note(f"door: Slack, {'Socket Mode' if socket else 'POST /slack/events'}")
    return [slack.socket(app, socket) if socket else slack.routes(app)]


def mcp(
    root: Annotated[Path, typer.Option("--root", metavar="DIR", help="Files below it can be analysed.")] = Path(),
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP in place of stdio; reads no files.")] = False,
    host: Annotated[str, typer.Option("--host")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535)] = 8081,
    recheck: Annotated[bool, typer.Option("--allow-recheck", help="Probes of this machine, that only read.")] = False,
    stress: Annotated[bool, typer.Option("--allow-stress", help="Also probes that load GPUs nobody uses.")] = False,
) -> None:
    """Serve assistants over MCP, the protocol of their tools. Keeps nothing.

    Tools: analyze, more, explain, search_knowledge, and recheck where allowed.
    """
    try:
        from triage.serve import mcp as door
    except ImportError as error:
        raise typer.BadParameter(f"`triage mcp` {_INSTALL.format(extra='mcp')} ({error.name} is missing)") from None
    from triage import load_library
    from triage.serve.desk import open_desk

    if not root.is_dir():
        raise typer.BadParameter(f"{str(root)!r} is no folder", param_hint="'--root'")
    desk = open_desk(None, workers=1)
    try:
        server = door.create(desk, load_library(), None if http else root, recheck, stress)
        if http:
            note(f"triage mcp: http://{host}:{port}/mcp")
            server.run("streamable-http", host=host, port=port)
        else:
            server.run("stdio")
    finally:
        desk.close()

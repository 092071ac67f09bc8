"""The names of the commands of `triage`, for the command line and for the check that playbooks name no others."""

COMMANDS = (
    "analyze", "recheck", "collect", "preflight", "ticket", "explain", "list", "formats", "templates", "redact",
    "report", "lint", "score", "docs", "plan", "serve", "mcp", "history", "version",
)  # fmt: skip

"""How much each platform takes, and texts cut to it. The sources of the numbers stand beside them."""

from __future__ import annotations

# Slack: slackblocks' constants; `msg_blocks_too_long` at about 13,200 characters over all blocks (bolt-js #2509).
SLACK_SECTION = 2800  # of 3,000
SLACK_HEADER = 150
SLACK_BLOCKS = 20  # of 50
SLACK_MESSAGE = 9000  # characters over all blocks
SLACK_BUTTON = 2000

# GitHub answers 422 to a body above 65,536 characters.
GITHUB_COMMENT = 60_000  # bytes

# Discord: an embed's description has at most 4,096 UTF-16 units, its title 256 (API documentation).
DISCORD_DESCRIPTION = 3900
DISCORD_TITLE = 250

# MCP clients refuse or spill a result above about 25,000 tokens; 8,000 tokens are about this many bytes.
MCP_RESULT = 24_000
MCP_BODY = 4 << 20  # of a request, the SDK's own default

CUT = "…"


def units(text: str) -> int:
    """The length that Discord and GitHub count: UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def cut(text: str, most: int) -> str:
    """`text` with at most `most` UTF-16 units, cut at the end of a line where there is one; open code fences closed."""
    if units(text) <= most:
        return text
    room = most - len("\n```\n" + CUT)
    half = room // 2
    kept: list[str] = []
    for line in text.split("\n"):
        if units(line) > room:
            if room > half:  # a line that long is cut inside, or little would be left
                kept.append(line.encode("utf-16-le")[: 2 * room].decode("utf-16-le", "ignore"))
            break
        kept.append(line)
        room -= units(line) + 1
    fences = sum(line.lstrip().startswith("```") for line in kept)
    return "\n".join([*kept, "```"] if fences % 2 else kept) + "\n" + CUT


def cut_bytes(text: str, most: int) -> str:
    """`cut` for a limit in bytes of UTF-8."""
    room = most
    while len(text.encode()) > most:
        room = min(room, units(text)) * most // len(text.encode()) - 1
        text = cut(text, room)
    return text

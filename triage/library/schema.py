"""The shape of the library's YAML, checked strictly. Imported only by lint and when the cache is stale."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from triage.entities import TYPES
from triage.model import ACTIONS, Confidence, Severity

Action = Literal[
    "none", "debug-app", "restart-app", "restart-service", "reset-gpu", "drain", "reboot-node",
    "check-hardware", "rma", "collect-more",
]  # fmt: skip
DefaultRole = Literal["cause", "symptom", "carrier", "context"]
Basis = Literal["documented", "source", "measured", "judgement"]
Scope = Literal["record", "before", "after", "source", "environment"]
Scalar = str | int | float | bool

assert set(ACTIONS) == set(Action.__args__)  # type: ignore[attr-defined]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


def check_types(types: dict[str, str]) -> dict[str, str]:
    for name, kind in types.items():
        if kind not in TYPES:
            raise ValueError(f"type {kind!r} of {name!r} is unknown; known: {', '.join(sorted(TYPES))}")
    return types


class Pattern(Strict):
    """One way in which a signature is seen."""

    use: str | None = None
    regex: str | None = None
    formats: list[str] = []
    types: dict[str, str] = {}
    where: str | None = None
    anchor: str | None = None

    _types = field_validator("types")(check_types)

    @model_validator(mode="after")
    def _something(self) -> Pattern:
        if self.use and self.regex:
            raise ValueError("a pattern has either `use` or `regex`")
        if not (self.use or self.regex or (self.formats and self.where)):
            raise ValueError("a pattern needs `regex`, `use`, or `formats` with `where`")
        return self


class Header(Strict):
    regex: str
    formats: list[str] = []
    types: dict[str, str] = {}
    anchor: str | None = None

    _types = field_validator("types")(check_types)


class Unless(Strict):
    regex: str
    scope: Scope = Field(alias="in")


class Promotion(Strict):
    when: str
    role: DefaultRole | None = None
    severity: Severity | None = None
    note: str | None = None
    basis: Basis | None = None
    source: str | None = None


class Reading(Strict):
    when: str
    text: str


class Example(Strict):
    text: str
    id: str | None = None
    entities: dict[str, Scalar | list[Scalar]] = {}
    file: str | None = None


class Examples(Strict):
    match: list[Example] = []
    ignore: list[Example] = []


class Suspect(Strict):
    """Who is suspected among the members of a derived group; the first rule that names someone wins."""

    min: str | None = None
    differ: list[str] = []
    unless_min: str | None = None
    at: str | None = None
    exited_before: str | None = None
    missing: bool = False
    of_reports: bool = False
    crossed: str | None = None
    confidence: Confidence = "likely"


class Derive(Strict):
    """A finding computed over the matches of other signatures (see `triage/derive.py`)."""

    source: list[str] = Field(alias="from")
    group: list[str] = []
    member: str
    universe: str | None = None
    exited: list[str] = []
    suspect: list[Suspect]
    unless: Literal["all_equal"] | None = None


class SignatureFields(Strict):
    """What a signature and the row of a table share."""

    title: str
    severity: Severity = "error"
    role: DefaultRole = "cause"
    status: Literal["stable", "draft"] = "stable"
    confidence: Confidence = "likely"
    action: Action = "none"
    action_vendor: str = ""
    key: list[str] = ["host", "pci", "rank"]
    types: dict[str, str] = {}
    let: dict[str, str] = {}
    tells: dict[str, Scalar] = {}
    where: list[str] = []
    unless: list[Unless] = []
    refines: str | list[str] | None = None
    fallback: bool = False
    doubts: bool = False
    promote: list[Promotion] = []
    readings: list[Reading] = []
    means: str = ""
    title_zh: str = ""
    summary_zh: str = ""
    playbook: str | None = None
    recheck: list[str] = []
    sources: list[str] = []
    basis: Basis | None = None

    _types = field_validator("types")(check_types)

    @field_validator("where", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


class SignatureFile(SignatureFields):
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    match: list[Pattern] = []
    derive: Derive | None = None
    examples: Examples = Examples()

    @model_validator(mode="after")
    def _whole(self) -> SignatureFile:
        if not self.match and not self.derive:
            raise ValueError("a signature needs `match` or `derive`")
        if not self.means.strip():
            raise ValueError("`means` is empty: say what happened in a sentence")
        if not self.sources:
            raise ValueError("`sources` is empty: name where wording and meaning come from")
        if self.role != "context" and not self.playbook:
            raise ValueError("`playbook` is missing")
        return self


class TableFile(Strict):
    """A family that is a table: one row per number."""

    table: str
    use: str | list[str]
    select: str
    id: str
    defaults: dict[str, Any] = {}
    unknown: dict[str, Any] | None = None
    rows: list[dict[str, Any]]
    examples: Examples = Examples()


class EffectFile(Strict):
    id: str
    where: str | None = None


class Otherwise(Strict):
    missing: str | None = None
    by: str | None = None
    of: str | None = None
    say: str | None = None
    command: str | None = None


class LinkFile(Strict):
    """One causal link."""

    cause: str | list[str | EffectFile]
    effect: str | EffectFile | list[str | EffectFile]
    relation: Literal["explains", "same"] = "explains"
    join: list[Any] = []
    window: tuple[float, float] | None = None
    until: Literal["boot", "reset", "exit", "fixed", "timeout"] | None = None
    strength: Literal["sure", "usual", "possible"] | dict[str, Literal["sure", "usual", "possible"]] = "usual"
    source: str | None = None
    basis: Basis | None = None
    otherwise: dict[Literal["covered", "uncovered"], Otherwise] = {}
    why: str = ""

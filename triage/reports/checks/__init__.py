"""All checks of incident reports. A new one is a class in one of these modules, and an entry here."""

from __future__ import annotations

from triage.reports.checks.base import Check
from triage.reports.checks.block import NoAnalysis, StaleAnalysis
from triage.reports.checks.cause import CauseIsSymptom, CauseNotInLog, RoleContradicts, SeverityContradicts
from triage.reports.checks.form import (
    FieldMissing,
    FirstErrorMissing,
    GpuMissing,
    PlaceholderLeft,
    RecheckMissing,
    SectionMissing,
    TimesContradict,
    VersionsMissing,
)
from triage.reports.checks.ignores import BrokenFrontMatter, IgnoreWithoutReason, UnknownCode, UnusedIgnore
from triage.reports.checks.knowledge import (
    ForbiddenStep,
    OtherPlaybook,
    ReplacedSignature,
    UnknownPlaybook,
    UnknownSignature,
)
from triage.reports.checks.logs import DeadLink, NoLog, NotUnderstood, NoZone
from triage.reports.checks.privacy import AddressQuoted, PersonQuoted, SecretQuoted

# Those about ignores come last: they ask which ignores were used by the others.
CHECKS: tuple[Check, ...] = (
    CauseNotInLog(), CauseIsSymptom(), UnknownSignature(), ReplacedSignature(), UnknownPlaybook(), OtherPlaybook(),
    SeverityContradicts(), RoleContradicts(), SecretQuoted(), PersonQuoted(), AddressQuoted(), FieldMissing(),
    SectionMissing(), GpuMissing(), VersionsMissing(), FirstErrorMissing(), RecheckMissing(), PlaceholderLeft(),
    TimesContradict(), ForbiddenStep(), NoZone(), NotUnderstood(), NoLog(), DeadLink(), StaleAnalysis(), NoAnalysis(),
    BrokenFrontMatter(), IgnoreWithoutReason(), UnknownCode(), UnusedIgnore(),
)  # fmt: skip
BY_NAME: dict[str, Check] = {name: check for check in CHECKS for name in (check.code, check.slug)}

__all__ = ["BY_NAME", "CHECKS", "Check"]

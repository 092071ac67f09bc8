"""The Windows formats: what Device Manager says of a device, and entries of the event log."""

from triage.formats.windows_device import WindowsDevice
from triage.formats.windows_event import WindowsEvent

__all__ = ["WindowsDevice", "WindowsEvent"]

"""Property tests are about what comes out: how long one example takes depends on what else the machine does."""

from hypothesis import settings

settings.register_profile("triage", deadline=None)
settings.load_profile("triage")

"""One self-contained file for each probe: it measures as a script, and judges as a module."""

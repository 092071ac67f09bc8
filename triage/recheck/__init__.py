"""The live re-check: is what the log told still true on this machine? (docs/recheck.md)"""

"""Evidence of this machine in one archive, and its state over time. Reads only."""

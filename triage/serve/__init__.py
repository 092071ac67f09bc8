"""The help desk: one core (`desk`) that takes text or files and gives a short safe answer, and thin doors to it."""

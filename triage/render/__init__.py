"""What a reader sees of a `Report`: one module for each way to show it."""

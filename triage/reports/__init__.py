"""Incident reports in Markdown: checked against the logs that they quote, written from an analysis, indexed."""

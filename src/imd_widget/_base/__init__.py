"""Errors, checks and files: the layer that every package may import and that imports none."""

"""What to do about a difference: patched models, and the few rows to label."""

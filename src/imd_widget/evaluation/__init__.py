"""Methods and baselines measured on the same splits."""

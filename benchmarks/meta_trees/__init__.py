"""Meta decision trees measured: ``python -m benchmarks.meta_trees`` writes the evidence page."""

"""Exact counts of coded rows: channels, impurity, kernels and the observations that are counted."""

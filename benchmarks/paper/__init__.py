"""The tables of the paper, made again: ``python -m benchmarks.paper`` or ``make paper``."""

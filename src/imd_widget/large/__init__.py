"""Diffs of tables that do not fit in memory: Dask DataFrames and Parquet files.

A table is read in partitions. Each is described, then encoded and predicted in one step, and what
is left of it (codes and outcomes, some 30 bytes a row) is kept where it was made: in Dask's
workers, or in memory-mapped files. Workers return whole numbers, which add up to the same bits
however the rows are divided.
"""

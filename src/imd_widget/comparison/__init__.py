"""The diff of two models on a table: dataset, results, metrics, rows and summary."""

"""Tables, columns and their codes, thresholds, samples and weights."""

"""Tables, columns and their codes, thresholds, samples and weights: all that is known of rows."""

"""Files of a comparison of two or more models, by their suffix."""

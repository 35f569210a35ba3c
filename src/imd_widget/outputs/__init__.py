"""Classes, probabilities and values: what is compared, when it differs, who is right."""

"""The outputs of two or more models, made comparable all at once."""

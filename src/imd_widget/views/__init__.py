"""Plain values for whatever draws a diff: the schema, how it is built, how it travels."""

"""Models and arrays of outputs: how they are called, named and coerced into one output a row."""

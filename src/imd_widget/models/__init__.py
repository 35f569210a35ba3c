"""Models and arrays of outputs: how they are called, named and coerced to one output per row."""

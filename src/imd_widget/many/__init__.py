"""More than two models: which differ, how much, and, for each two, where."""

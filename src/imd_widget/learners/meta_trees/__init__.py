"""Meta decision trees (Shulman and Wolf): networks that grow a tree for every group."""

"""Meta decision trees after Shulman and Wolf: networks that grow a readable tree for every group."""

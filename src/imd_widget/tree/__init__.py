"""The joint tree: counting, choosing splits, growing, refining."""

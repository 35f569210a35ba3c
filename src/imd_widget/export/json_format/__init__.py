"""A diff as a JSON file, and back: no pickle, nothing that runs. docs/files.md describes it."""

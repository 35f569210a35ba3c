"""Writing and reading of a diff as JSON, without pickle. docs/files.md describes the format."""

"""The Jupyter widget: traits, history and its static preview."""

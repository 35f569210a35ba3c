"""The Jupyter widget: traits, history and the still picture beside it."""

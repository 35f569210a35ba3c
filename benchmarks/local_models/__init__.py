"""Evidence for global models with local models: the figures and the table of Rueping (2005)."""

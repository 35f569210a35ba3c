"""The diff itself, from two models and a table to rules, measures, rows and words."""

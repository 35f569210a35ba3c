"""The functions that make results from models and a table; each reads as its pipeline."""

"""A global model that describes the data, and local models where it needs help (Rueping 2005)."""

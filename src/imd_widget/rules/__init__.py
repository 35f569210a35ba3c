"""Regions of a joint tree in which two models differ, as rules in the user's words."""

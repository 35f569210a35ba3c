"""Why two models differ: both of them explained, side by side, inside a region."""

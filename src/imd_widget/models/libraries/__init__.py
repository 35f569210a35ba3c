"""Models of other libraries that have an interface of their own, given that of scikit-learn."""

"""Large tables: seconds, memory and growth with the number of rows, against other libraries."""

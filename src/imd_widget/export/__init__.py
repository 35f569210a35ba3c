"""Files: pages, pictures, tables of rules, and the JSON format that is read back."""

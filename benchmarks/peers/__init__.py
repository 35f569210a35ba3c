"""Rule and subgroup learners of others, on the same splits as ours."""

"""The joint tree: count sources, the splitter, the grower and pruning."""

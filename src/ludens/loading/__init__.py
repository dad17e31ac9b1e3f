"""A game found, its options set, completed, compiled and identified."""

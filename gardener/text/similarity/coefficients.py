"""What a feature adds to the score of a pair. Written by `python -m tests.benchmarks.train`, not by hand."""

START = 0.7447
WEIGHTS = (0.0084, 0.1006, 0.0523, 0.094, -0.0957)

"""What a feature adds to the score of a pair. Written by `python -m tests.benchmarks.train`, not by hand."""

START = 0.7475
WEIGHTS = (0.0084, 0.1001, 0.0507, 0.0933, -0.0917)

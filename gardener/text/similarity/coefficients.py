"""What each feature of a pair adds to its score. Written by `python -m tests.benchmarks.train`; do not edit by hand."""

START = 0.7318
WEIGHTS = (0.0107, 0.0994, 0.0586, 0.0994, -0.0977)

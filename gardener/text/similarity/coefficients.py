"""What each feature of a pair adds to its score. Written by `python -m tests.benchmarks.train`; do not edit by hand."""

START = 0.7262
WEIGHTS = (0.012, 0.0992, 0.061, 0.1016, -0.0976)

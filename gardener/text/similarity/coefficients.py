"""What each feature of a pair adds to its score. Written by `python -m tests.benchmarks.train`; do not edit by hand."""

START = 0.7501
WEIGHTS = (0.0082, 0.1003, 0.0494, 0.092, -0.0886)

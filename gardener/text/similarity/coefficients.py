"""What each feature of a pair adds to its score. Written by `python -m tests.benchmarks.train`; do not edit by hand."""

START = 0.0
WEIGHTS = {
    "sentences of one in the other": 0.8,
    "sentences both ways": 0.1,
    "word for word": 0.1,
    "rare terms of one in the other": 0.1,
    "rare terms both ways": 0.0,
    "stands out from its neighbours": 0.1,
    "another subject": -0.5,
}

"""Proposals as files: their grammar, identity, document, answers, and what a run makes of them."""

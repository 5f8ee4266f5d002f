"""Gardener tends stores of plain-markdown memories: it finds rot, proposes, and stops."""

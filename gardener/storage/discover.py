"""Which files of a store are memories, notes and indexes. It lists folders and reads nothing."""

"""Reading and changing text, without any I/O: front matter, stage headers, links, lifecycle, edits, quotes."""

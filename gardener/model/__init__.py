"""The values everything else speaks of: frozen, free of I/O, importing nothing but `errors`."""

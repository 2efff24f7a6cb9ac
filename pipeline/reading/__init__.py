"""From text to Arrow tables: pages, kinds of lines, cells, values. Pure: no file, no lake."""

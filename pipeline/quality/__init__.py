"""What must hold among values: judged while reading, and over the whole lake by `ironlake check`."""

"""`ironlake serve`: a lake in a browser, on this machine alone and read only."""

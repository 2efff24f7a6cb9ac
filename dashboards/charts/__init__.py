"""Pictures: pure functions of rows and column metadata that return charts, the declarations of charts, and drawing."""

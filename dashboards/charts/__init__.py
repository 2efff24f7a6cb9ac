"""Pictures: pure functions of rows and column metadata that return charts, what is declared of each, and how a chart is drawn."""

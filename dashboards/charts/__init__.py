"""Pictures: pure functions of rows and column metadata that return plotly figures, and what is declared of each."""

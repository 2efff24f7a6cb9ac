"""The declaration language: what a report says of itself. Imports nothing of the other rooms."""

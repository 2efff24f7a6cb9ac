"""The declaration language of reports. Imports no other room."""

"""Turn a workload model into the reports of a machine with that workload.

contents/ has the data of each report, printers/ its layout. Nothing here imports the reading code, so
the one can test the other.
"""

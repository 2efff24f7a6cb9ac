"""From a workload model to the reports that a machine with that workload would print.

contents/ says what each report holds, printers/ puts it on paper. Nothing here imports what reads reports, so that
the one can test the other.
"""

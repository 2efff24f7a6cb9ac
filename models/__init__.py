"""Turn a workload model into the reports of a machine with that workload.

contents/ has the data of each report, printers/ its layout. Rows are printed as their declarations say (pipeline/printing);
nothing else here knows how reports are read, so the one can test the other.
"""

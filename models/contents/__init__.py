"""The content of each report as plain data: one object per report, in printed units, one number per interval.

A number is an array with one value per interval, or a plain number for all. Only independent numbers are stored; rates, shares and
totals are computed properties, so a page is consistent.
"""

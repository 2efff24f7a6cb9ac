"""Figures and the comparison page, made from views only."""

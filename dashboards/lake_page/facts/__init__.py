"""The sections of the page of a lake: one file for each, named as the address of the section (`links.py` for `#links`).
A file declares its section under its own name.

A section is a text (question.py): the view, its columns, the picture, the answer, a note, and the cards; computations
are in Python beside the text. Titles and units from the header of the view or from pipeline/declaration/columns.py are
not repeated. A card goes by a rule of parsers/_finding_rules.py; the view `finding` is made from the same rules. Name a
new file in GROUPS of gather.py, which has the order."""

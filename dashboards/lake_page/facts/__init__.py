"""The sections of the page of a lake: a file for each, named as the address of the section (`links.py` of `#links`), which declares it by its own name.

A section is a text (question.py): the view, its columns, the picture, the answer, a note, and the cards; what has to be computed stands in Python beside
it. Titles and units that the header of the view or pipeline/declaration/columns.py has are not repeated. A card goes by a rule of
parsers/_finding_rules.py, of which the view `finding` is made, too. A new file is named in QUESTIONS of gather.py, which has their order.
"""

"""What one process loads before any question, so that processes which are forked from it have it: the modules, reports, views and templates."""

from ...dashboards.templating import environment
from ..sql import view_relations  # noqa: F401
from ..sql.known_tables import tables
from ..sql.view_files import views
from . import question_process  # noqa: F401

tables()
views()
for _name in ("serve_sql.html", "serve_error.html"):
    environment().get_template(_name)

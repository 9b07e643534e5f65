"""The workbench's server, for `streamlit run app.py`; `dr-rd ui` starts the same one."""

from pathlib import Path

from streamlit import config
from streamlit.starlette import App

from core.settings import environment
from dr_rd.ui.asgi import PAGE, guards, lifespan, read_access, routes

access = read_access(config.get_option("server.address") or "", None, environment())
app = App(
    PAGE,
    lifespan=lifespan(Path("audits"), access),
    routes=routes(access),
    middleware=guards(access),
)

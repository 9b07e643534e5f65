"""The workbench's server, for `streamlit run app.py`; `dr-rd ui` starts the same one."""

from pathlib import Path

from streamlit.starlette import App

from core.settings import environment
from dr_rd.ui.asgi import PAGE, api, guards, lifespan

app = App(PAGE, lifespan=lifespan(Path("audits")), routes=api(), middleware=guards(environment()))

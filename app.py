"""The workbench's server, for `streamlit run app.py`; `dr-rd ui` starts the same one."""

from pathlib import Path

from streamlit.starlette import App

from dr_rd.ui.asgi import GUARDS, PAGE, api, lifespan

app = App(PAGE, lifespan=lifespan(Path("audits")), routes=api(), middleware=GUARDS)

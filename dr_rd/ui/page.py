"""The script that Streamlit runs for every visit: navigation, theme, and the page asked for."""

import streamlit as st

from core.errors import CallerError
from dr_rd.ui import compare, guide, history, login, new, run, session
from dr_rd.ui.context import AppContext, current_context, process_context
from dr_rd.ui.frame import TITLE


def main() -> None:
    """Draw the page that the address names."""
    st.set_page_config(page_title=TITLE, page_icon="🧭", layout="wide")
    try:
        context = current_context()
    except login.NotLoggedIn:
        session.clear()
        login.draw(oidc=process_context().oidc)
        return
    except CallerError as mistake:
        st.error(str(mistake))
        return
    session.open_for(context.user)
    session.keep()
    pages = _pages()
    shown = st.navigation(list(pages.values()), position="hidden")
    _find_run(pages, shown.url_path, context.opens_on)
    _menu(pages, context)
    shown.run()
    if context.users is None:
        st.caption("Single user: whoever can open this address on this machine sees every run.")


def _pages() -> dict[str, st.Page]:
    """The pages in the order of the menu; they know each other through this table."""
    pages: dict[str, st.Page] = {}
    pages["new"] = st.Page(lambda: new.draw(pages), title="New plan", url_path="", default=True)
    pages["run"] = st.Page(lambda: run.draw(pages), title="Run", url_path="run")
    pages["runs"] = st.Page(lambda: history.draw(pages), title="All runs", url_path="runs")
    pages["compare"] = st.Page(compare.draw, title="Compare", url_path="compare")
    pages["help"] = st.Page(lambda: guide.draw(pages), title="Help", url_path="help")
    return pages


def _menu(pages: dict[str, st.Page], context: AppContext) -> None:
    """Draw the menu in the page: Streamlit's own hides on a phone, and stays open over the page."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="menu"):
        for page in pages.values():
            st.page_link(page, label=page.title, width="content")
        if context.users is not None:
            login.draw_user(context.user, oidc=context.oidc)


def _find_run(pages: dict[str, st.Page], url_path: str, opens_on: str) -> None:
    """Send a visit to the run in its address, or once to the one named at the start."""
    if url_path:
        return
    asked = st.query_params.get("run", "")
    if not asked and not session.get(session.Note.OPENED):
        session.put(session.Note.OPENED, "yes")
        asked = opens_on
    if asked:
        st.switch_page(pages["run"], query_params={**st.query_params, "run": asked})


if __name__ == "__main__":
    main()

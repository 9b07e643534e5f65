"""The script that Streamlit runs for every visit: navigation, theme, and the page asked for."""

import streamlit as st

from core.errors import CallerError
from dr_rd.ui import compare, guide, history, login, new, run, session
from dr_rd.ui.context import AppContext, current_context, process_context

_STYLE = """
<style>
.stMainBlockContainer { max-width: 74rem; padding: 1.5rem 3rem 4rem; }
/* white on this blue is read in both themes, also when the system turns from one to the other */
[data-testid^=stBaseButton-primary]:not(:disabled) { color: #ffffff; background: #1a63d8;
  border-color: #1a63d8; }
[data-testid^=stBaseButton-primary]:not(:disabled):hover { background: #0b57d0; }
[data-tag-index], [data-tag-index] > span { background: #1a63d8; color: #ffffff; }
@media (max-width: 640px) {
  .stMainBlockContainer { padding-left: 1rem; padding-right: 1rem; }
  h2 { font-size: 1.3rem !important; }
  h1 { font-size: 1.55rem !important; }
  .st-key-contents ul { columns: 2; }
}
[data-testid="stMarkdownContainer"] table { font-size: 0.9rem; }
[data-testid="stMarkdownContainer"]:has(table) { overflow-x: auto; }
.st-key-figures > div { min-height: 8.6rem; }
[data-testid="stMetricLabel"] { opacity: 0.75; }
.st-key-mode [role="radiogroup"] { display: grid; gap: 0.6rem; align-items: stretch;
  grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); }
.st-key-mode [role="radiogroup"] > div { position: relative; border-radius: 0.5rem;
  border: 1px solid rgba(128, 140, 155, 0.5); padding: 0.6rem 0.75rem; }
.st-key-mode [role="radiogroup"] > div[data-selected="true"] { border-color: #3b82f6;
  box-shadow: inset 0 0 0 1px #3b82f6; }
.st-key-mode [role="radiogroup"] label::after { content: ""; position: absolute; inset: 0; }
[data-testid="stMarkdownContainer"] blockquote { color: inherit; opacity: 1;
  border-left: 4px solid #d55e00; font-weight: 500; }
.st-key-marked { height: auto !important; max-height: 32rem; overflow-y: auto; }
[class*="st-key-records"] { overflow-x: auto; }
[class*="st-key-records"] th { white-space: nowrap; }
[class*="st-key-records"] td { min-width: 4.5rem; overflow-wrap: break-word; }
/* Streamlit's own words for a server that has ended are about Streamlit */
body:has([data-test-connection-state="PINGING_SERVER"]) [role="dialog"] > :not(button) {
  display: none; }
body:has([data-test-connection-state="PINGING_SERVER"]) [role="dialog"]::before {
  content: "The workbench's server is gone. Start it again as you did before: this page then goes on by itself. What was finished is kept."; }
.st-key-findings ul { list-style: none; padding-left: 0; margin-left: 0; }
.st-key-contents { position: sticky; top: 1.5rem; }
[data-testid="stHeader"] { background: transparent; pointer-events: none; }
[data-testid="stHeader"] button { pointer-events: auto; }
.st-key-contents ul { list-style: none; padding-left: 0; }
.st-key-contents li { margin: 0 0 0.25rem 0; }
[data-testid="stCaptionContainer"] { opacity: 0.8; }
[class*="st-key-row-limits"] textarea { min-height: 2.4rem !important; field-sizing: content; }
</style>
"""


def main() -> None:
    """Draw the page that the address names."""
    st.set_page_config(page_title="dr-rd workbench", page_icon="🧭", layout="wide")
    st.html(_STYLE)
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

"""What every screen works at: the one service of the process."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from core.errors import CallerError
from dr_rd.service import ResearchService, make_service
from dr_rd.ui import login, text
from dr_rd.ui.following import Following
from dr_rd.ui.secrets import with_secrets
from dr_rd.users import Users

_SLOT = "_dr_rd_context"
"""Where the context is found: Streamlit may load a module anew, and its globals with it."""


@dataclass(frozen=True, slots=True)
class AppContext:
    """What the screens share."""

    service: ResearchService
    opens_on: str = ""
    """The run that a visit without one in its address is shown."""
    users: Users | None = None
    """Who may look; None where whoever reaches the server may."""
    oidc: bool = False
    """Whether users log in by OpenID Connect."""
    following: Following = field(default_factory=Following)
    """The runs that are followed, by whoever looks."""

    @property
    def user(self) -> str:
        """Who looks; "" where there are no users."""
        return self.service.user

    @property
    def is_current(self) -> bool:
        """Whether whoever looked when the page was drawn may still look."""
        if self.users is None:
            return True
        try:
            return login.visitor(self.users, oidc=self.oidc) == self.user
        except CallerError:  # no user any more, or nobody can tell
            return False

    def markdown(self, sentence: object) -> str:
        """Return a sentence, such as a mistake's, as Markdown that whoever looks may read."""
        return text.plain(self.service.readable(str(sentence)))

    def close(self) -> None:
        """Pause every run in order."""
        self.service.close()


def make_context(
    audits: Path,
    environ: Mapping[str, str],
    *,
    opens_on: str = "",
    users: Users | None = None,
    oidc: bool = False,
) -> AppContext:
    """Start the service of the runs in *audits*; the file of secrets adds to the environment."""
    service = make_service(audits, with_secrets(environ))
    return AppContext(service, opens_on, users, oidc)


def open_context(context: AppContext) -> None:
    """Make *context* the process's; whoever opens it closes it with `close_context`."""
    sys.__dict__[_SLOT] = context


def close_context() -> None:
    """Pause every run and give up the context."""
    context = sys.__dict__.pop(_SLOT, None)
    if context is not None:
        context.close()


def process_context() -> AppContext:
    """Return the process's context, with every run in it.

    Raises CallerError where the page was started without one.
    """
    context = sys.__dict__.get(_SLOT)
    if context is None:
        raise CallerError("the workbench has no run service; start it with `dr-rd ui`")
    return cast(AppContext, context)


def current_context() -> AppContext:
    """Return the context as whoever looks at the page has it; raises NotLoggedIn for nobody."""
    context = process_context()
    if context.users is None:
        return context
    user = login.visitor(context.users, oidc=context.oidc)
    return replace(context, service=context.service.for_user(user), opens_on="")

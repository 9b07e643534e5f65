"""What all runs share: the library, the rubrics, and the clients, keys and masks of models."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from core.breakers import Breakers
from core.compute import Compute, in_thread
from core.errors import unknown
from core.live import LiveCall, LiveCalls
from core.modes import find_mode
from core.scores import Rubric
from core.settings import Flags, environment
from dr_rd.evaluation.plugins import Plugins
from dr_rd.evaluation.scorecard import check_weights
from dr_rd.evaluation.subject import Section
from dr_rd.models.chat.clients import Clients
from dr_rd.models.served.keys import Keys, Masks
from dr_rd.planning.builtin import Planner


@dataclass(frozen=True)
class Shared:
    """What all runs share."""

    planner: Planner
    answer_rubric: Rubric
    answer_template: tuple[Section, ...]
    proposal_rubric: Rubric
    proposal_template: tuple[Section, ...]
    version: str
    """The release, and the digest of all that it reads: its library, rubrics and templates."""
    compute: Compute = in_thread
    """Where heavy tools compute."""
    plugins: Plugins = field(default_factory=Plugins)
    """The evaluators of other packages."""
    environ: Callable[[], Mapping[str, str]] = environment
    """Holds the keys of the analyst's own servers, and of the models', when one is called."""
    clients: Clients = field(default_factory=Clients)
    """The clients of models' servers, which runs share."""
    keys: Keys = field(default_factory=Keys)
    """The keys that people gave to runs; the environment's is for those without."""
    masks: Masks = field(default_factory=Masks)
    """The words and figures that people typed for runs, which no server is told."""
    breakers: Breakers = field(default_factory=Breakers)
    live: LiveCalls = field(default_factory=LiveCalls)
    """The calls to models that runs are making."""

    def live_calls(self, run_id: str, mode: str) -> tuple[LiveCall, ...]:
        """Return the calls to models that a run makes now; without words where its *mode* hides some."""
        return self.live.of(run_id, words=not find_mode(mode).hides)

    def check(self, flags: Flags, roles: Iterable[str] = ()) -> None:
        """Refuse what no run could be scored with, and models for roles that nobody has.

        Raises CallerError.
        """
        check_weights(flags.EVALUATOR_WEIGHTS, (self.answer_rubric, self.proposal_rubric))
        known = [role.id for role in self.planner.library.roles]
        if stranger := next((role for role in roles if role not in known), None):
            raise unknown("role in DRRD_MODEL_ROLES", stranger, known)

"""What one run may do and what was chosen for it: read once, frozen, saved with the run."""

import gc
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, JsonValue, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo

from core.errors import CallerError, unknown
from core.scores import Weight
from core.values import Frozen, unsaid

_WEIGHTS = {"support": 2}
"""An example of what EVALUATOR_WEIGHTS may be."""

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


class Flags(Frozen):
    """The switches and numbers that the environment, the command line or the page may set."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    GRAPH_ENABLED: bool = True
    """Whether mode "graph" uses the graph library; if not, it runs as "classic"."""
    PARALLEL_EXEC_ENABLED: bool = True
    """Whether mode "graph" works on tasks that do not wait for each other at the same time."""
    EVALUATORS_ENABLED: bool = True
    """Whether each answer is scored and may be sent back."""
    EVALUATOR_MIN_OVERALL: float = Field(default=0.6, ge=0, le=1, allow_inf_nan=False)
    """The overall score from which an answer passes."""
    EVALUATOR_WEIGHTS: Mapping[str, Weight] = {}
    """Weights that replace the rubric's, as a JSON object from criterion to number."""
    CRITIQUE_ENABLED: bool = Field(default=True, exclude_if=bool)
    """Whether a model reads the whole draft of a proposal once, and its sections are then revised."""
    AUTOGEN_ENABLED: bool = False
    """Whether the AutoGen mode is open; it needs the extra "autogen" and a model."""
    MAX_CONCURRENCY: int = Field(default=4, ge=1, le=64)
    """How many tasks are worked on at once."""
    MAX_RETRIES: int = Field(default=2, ge=0, le=10)
    """How many times an answer below the gate is tried again."""
    BACKOFF_BASE_S: float = Field(default=1.0, ge=0, le=600, allow_inf_nan=False)
    """The longest first wait before a retry, in seconds; 0 means no wait."""
    BACKOFF_FACTOR: float = Field(default=2.0, ge=1, le=10, allow_inf_nan=False)
    """What the longest wait is multiplied by after each retry."""
    BACKOFF_MAX_S: float = Field(default=30.0, ge=0, le=3600, allow_inf_nan=False)
    """What no wait exceeds, in seconds."""
    MAX_CALLS: int = Field(default=2000, ge=1, le=1_000_000)
    """How many calls to a model's server a run may make, each retry counted."""
    MAX_TOKENS: int = Field(default=5_000_000, ge=1, le=1_000_000_000)
    """How many tokens a run may send and receive."""
    MAX_COST_USD: float = Field(default=25.0, ge=0, le=100_000, allow_inf_nan=False)
    """How much money a run may spend, in US dollars, where prices are known."""
    MAX_WALL_S: float = Field(default=21_600, ge=1, le=2_592_000, allow_inf_nan=False)
    """How long a run may be worked on, in seconds; pauses do not count."""
    MAX_ATTEMPTS: int = Field(default=1000, ge=1, le=100_000)
    """How many attempts at tasks a run may make, over all its tasks."""
    CALL_TIMEOUT_S: float = Field(
        default=0, ge=0, le=86_400, allow_inf_nan=False, exclude_if=unsaid
    )
    """How long one try at a call to a model's server may take, in seconds; 0 is 60 s, or 900 s for
    a server on this machine."""
    STREAM_REPLIES: bool = Field(default=True, exclude_if=bool)
    """Whether models' replies are asked for piece by piece, where a server can, and shown as they come."""
    DIRECT_CALLS: bool = Field(default=False, exclude_if=unsaid)
    """Whether models are asked without the client library, which takes a fraction of the CPU where
    calls count in thousands; replies then come whole, not piece by piece."""
    APPROVAL_REQUIRED: bool = False
    """Whether the plan waits for a person's approval before work starts."""

    @field_validator("EVALUATOR_WEIGHTS", mode="before")
    @classmethod
    def _from_json(cls, value: Any) -> Any:  # noqa: ANN401 - what the caller gave
        return json.loads(value or "{}") if isinstance(value, str) else value


class ModelUse(Frozen):
    """A model that a run asks, as it was found when the run began."""

    name: str
    form: Literal["schema", "json", "text"]
    """How it is held to JSON, strongest first."""
    window: Mapping[str, JsonValue] = {}
    """How much it reads and writes at once, as was found out then."""


class Served(Frozen):
    """The server whose models a run asks, without its key."""

    base_url: str
    """Up to and with its "/v1"."""
    models: Mapping[str, ModelUse]
    """By purpose: plan, work, judge, write."""
    roles: Mapping[str, ModelUse] = Field(default={}, exclude_if=unsaid)
    """Those for the tasks of some roles."""
    mask: Path | None = Field(default=None, exclude_if=unsaid)
    """The file of words and figures that no server is told."""
    masked: int = Field(default=0, exclude_if=unsaid)
    """How many words and figures those are; with no file they were typed, and are on no disk."""
    salt: str = Field(default="", exclude_if=unsaid)
    marks: tuple[str, ...] = Field(default=(), exclude_if=unsaid)
    """A digest of each, with that salt: whoever goes on with the run must hide them all."""
    local_only: bool = Field(default=False, exclude_if=unsaid)
    """Whether only a server on this machine may be asked."""


SEEDS = 2**63
"""Seeds are below this: what other programs read as a whole number, and can be stored as one."""


class RunOptions(Frozen):
    """What was chosen for one run; saved as settings.json."""

    mode: str = "graph"
    """The id of an orchestration mode."""
    seed: int = Field(default=0, ge=0, lt=SEEDS)
    """Where every random number of the run starts."""
    project_id: str = "default"
    """The folder under the audits root that the run belongs to."""
    docs: tuple[Path, ...] = ()
    """Folders or files with the analyst's own documents."""
    repo: Path | None = Field(default=None, exclude_if=unsaid)
    """The folder or git repository that tools may look into."""
    mcp: Path | None = Field(default=None, exclude_if=unsaid)
    """The file that names the servers of other programs whose tools may be called."""
    served: Served | None = Field(default=None, exclude_if=unsaid)
    """The server whose models are asked; None works from the method library alone."""
    flags: Flags = Flags()

    @field_validator("project_id")
    @classmethod
    def _is_id(cls, value: str) -> str:
        return valid_id("project id", value)


def read_flags(
    environ: Mapping[str, str], overrides: Iterable[str] = (), defaults: Flags | None = None
) -> Flags:
    """Read the flags: *defaults*, then the environment, then each NAME=VALUE of *overrides*."""
    values = dict(defaults or Flags())
    chosen = {name: environ[name] for name in Flags.model_fields if name in environ}
    for text in overrides:
        name, value = _pair(text)
        chosen[name] = value
    for name, value in chosen.items():
        values[name] = _one(name, value)
    return Flags(**values)


class Services(Frozen):
    """What a process uses beyond its own machine; never saved with a run."""

    database_url: SecretStr = SecretStr("")
    """The PostgreSQL database that records every run; "" keeps runs on this disk only."""
    endpoints_allowed: tuple[str, ...] = ()
    """The hosts whose models a server's users may choose, each with its port or for any port."""
    model_key: SecretStr = SecretStr("")
    """The key of the models' server."""


def read_services(environ: Mapping[str, str]) -> Services:
    """Read where the records are, which hosts may be asked (by commas), and the models' key."""
    hosts = environ.get("DRRD_ENDPOINTS_ALLOWED", "").split(",")
    return Services(
        database_url=SecretStr(environ.get("DRRD_DATABASE_URL", "")),
        endpoints_allowed=tuple(host.strip() for host in hosts if host.strip()),
        model_key=SecretStr(environ.get("DRRD_API_KEY", "")),
    )


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals:
        raise CallerError(f"setting {text!r} has no '='; write NAME=VALUE, such as MAX_RETRIES=1")
    if name not in Flags.model_fields:
        raise unknown("setting", name, Flags.model_fields)
    return name, value.strip()


def _one(name: str, value: str) -> Any:  # noqa: ANN401 - the flag's own type
    field = Flags.model_fields[name]
    try:
        return getattr(Flags.model_validate({name: value}), name)
    except (ValidationError, json.JSONDecodeError, RecursionError) as error:
        default = field.get_default()
        example = json.dumps(_WEIGHTS if default == {} else default)
        raise CallerError(
            f"{name}={value!r} cannot be used; it must be {choices(field)}, such as {example}"
        ) from error


def choices(field: FieldInfo) -> str:
    """Say what a flag may be."""
    if field.annotation is bool:
        return "true or false"
    if field.annotation not in (int, float):
        return "a JSON object of non-negative numbers"
    bounds = {type(m).__name__: m for m in field.metadata}
    kind = "a whole number" if field.annotation is int else "a number"
    return f"{kind} from {bounds['Ge'].ge:,} to {bounds['Le'].le:,}"


def valid_id(kind: str, text: str) -> str:
    """Return *text* if it can name a folder anywhere, else raise CallerError."""
    if not _ID.fullmatch(text):
        raise CallerError(
            f"{kind} {text!r} cannot be used; use 1 to 63 of a-z, 0-9 and '-', "
            "starting with a letter or digit"
        )
    return text


def environment() -> Mapping[str, str]:
    """Return a copy of the process environment, for the entry points."""
    return dict(os.environ)  # noqa: TID251 - the one reader


def prepare_process() -> None:
    """Close two doors before the graph library is imported; entry points call this first.

    Checkpoints then load plain data only, and nothing is sent to a tracing service. Garbage is
    collected less often: to look through what imports left was an eighth of a task.
    """
    gc.set_threshold(*max(gc.get_threshold(), (50_000, 10, 10)))
    os.environ.update(  # noqa: TID251 - the library reads these when it is imported
        LANGGRAPH_STRICT_MSGPACK="true", LANGSMITH_TRACING="false", LANGCHAIN_TRACING_V2="false"
    )

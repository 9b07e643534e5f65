"""The command line: results on stdout, progress and complaints on stderr.

Here stands what each command is called and takes; what it does is in `dr_rd.commands` and is
imported when the command is called, so that help comes at once.
"""

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

from core.errors import CallerError, closest
from core.files import NO_SPACE
from core.signals import SIGNALS
from dr_rd.commands.codes import FINISHED, MISTAKE, STOPPED, UNHEARD
from dr_rd.commands.output import heard
from dr_rd.sources import check_there

AUDITS = Path("audits")

MOST_SEED = 2**63 - 1
"""What fits where seeds are stored."""


class Interrupted(BaseException):
    """A signal came while no run was there to be paused.

    It is no KeyboardInterrupt, because Python remembers one that has passed through generated
    code, such as a dataclass's, and then ends by the signal whatever code it was to exit with.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        with _interruptible():
            found = commands.main(arguments, prog_name="dr-rd", standalone_mode=False)
    except CallerError as mistake:
        return _complain(str(mistake), MISTAKE)
    except click.NoSuchOption as mistake:
        return _complain(_no_option(mistake), MISTAKE)
    except click.ClickException as mistake:
        return _complain(mistake.format_message(), MISTAKE)
    except (click.Abort, Interrupted, KeyboardInterrupt):
        return _complain("stopped", STOPPED)
    except OSError as error:
        if error.errno not in NO_SPACE:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python flushes what is left at its end
        return _complain(f"the result cannot be written: {error.strerror}; free space", MISTAKE)
    return int(found or FINISHED)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let SIGINT and SIGTERM stop whatever is done; a run in progress handles them itself."""
    # who is told to outlast the terminal (nohup) does
    numbers = [n for n in SIGNALS if signal.getsignal(n) is not signal.SIG_IGN]
    before = [signal.signal(number, _interrupt) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            if signal.getsignal(number) is not signal.SIG_IGN:  # a stopped run has heard enough
                signal.signal(number, handler)


def _interrupt(number: int, frame: object) -> NoReturn:  # noqa: ARG001 - a handler's form
    raise Interrupted


def _no_option(mistake: click.NoSuchOption) -> str:
    """Name the option that is nearest by its letters: all of them begin with two dashes."""
    typed, context = mistake.option_name, mistake.ctx
    params = context.command.get_params(context) if context else []
    names = [o.lstrip("-") for p in params for o in p.opts if o.startswith("--")]
    near = closest(typed.lstrip("-"), names)
    hint = f" Did you mean '--{near}'?" if near else ""
    called = context.command_path if context else "dr-rd"
    return f"there is no option {typed!r}.{hint} {called} --help lists those there are"


def _complain(sentence: str, code: int) -> int:
    line = f"dr-rd: {' '.join(sentence.split())}"
    with heard():
        click.echo(
            line.encode(errors="replace").decode(), err=True
        )  # what was typed may be no text
    return code


def _execute(command: str, given: dict[str, object]) -> int:
    """Import a command and execute it; an interrupt on the way is caught by `main`."""
    if isinstance(brief := given.get("brief"), str):
        check_there(brief)  # before all that takes a second to import
    with heard():
        context = import_module("dr_rd.commands.context").open_context()
        return int(import_module(f"dr_rd.commands.{command}").execute(context, **given))
    return UNHEARD


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dr-rd")
@click.pass_context
def commands(context: click.Context) -> None:
    """A research-planning workbench: a brief in, a plan you can defend out."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
_brief = click.argument("brief")
_run_dir = click.argument("run_dir", type=click.Path(path_type=Path))
_audits = click.option(
    "--audits", type=click.Path(path_type=Path), default=AUDITS, show_default=True,
    help="Where runs are kept.",
)  # fmt: skip
_tokens = click.option(
    "--tokens", type=click.Path(path_type=Path), default=None, metavar="FILE",
    help="The file of the server's users; by default DRRD_TOKENS.",
)  # fmt: skip
_docs = click.option(
    "--docs", multiple=True, type=click.Path(path_type=Path),
    help="A folder of your own documents; may be given again.",
)  # fmt: skip
_repo = click.option(
    "--repo", type=click.Path(path_type=Path), default=None, metavar="DIR",
    help="A folder or git repository of yours that tasks may look into; it is only read.",
)  # fmt: skip
_mcp = click.option(
    "--mcp", type=click.Path(path_type=Path), default=None, metavar="FILE",
    help="A YAML file of MCP servers and of their tools that tasks may call.",
)  # fmt: skip
_workers = click.option(
    "--workers", default=None, metavar="ADDRESS",
    help="Drive the run on the workers of the Dask scheduler at tcp://HOST:PORT; "
    '"local" starts one for each core.',
)  # fmt: skip
_settings = click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a flag."
)
_judge_endpoint = click.option(
    "--endpoint", default=None, metavar="URL",
    help="The server of the model that judges; by default DRRD_ENDPOINT.",
)  # fmt: skip
_reader_endpoint = click.option(
    "--endpoint", default=None, metavar="URL",
    help="The server of the model that reads along; by default DRRD_ENDPOINT.",
)  # fmt: skip
_endpoint = click.option(
    "--endpoint", default=None, metavar="URL",
    help="The server of the models that plan, work, judge and write; by default DRRD_ENDPOINT.",
)  # fmt: skip
_model = click.option(
    "--model", default=None, metavar="NAME", help="The model; by default DRRD_MODEL."
)
_local_only = click.option(
    "--local-only", is_flag=True, help="Refuse an endpoint that is not on this machine."
)
_mask = click.option(
    "--mask", type=click.Path(path_type=Path), default=None, metavar="FILE",
    help="A file of names and figures, one a line, that no endpoint is told.",
)  # fmt: skip
_judges = click.option(
    "--judge", "judges", multiple=True, metavar="NAME",
    help="The model that judges; given again, a panel. By default DRRD_MODEL_JUDGE or DRRD_MODEL.",
)  # fmt: skip


@commands.command()
@click.argument("brief", required=False)
@click.option("--mode", default="graph", show_default=True, help="How the run is orchestrated.")
@click.option(
    "--scenario", type=click.Path(path_type=Path), default=None, metavar="FILE",
    help="A YAML or JSON file with the mode's seats, options or rules, or one that is shipped.",
)  # fmt: skip
@click.option(
    "--from", "past", multiple=True, type=click.Path(path_type=Path), metavar="RUN_DIR",
    help="A run that has ended, to build on; may be given again. Without BRIEF its brief is taken.",
)  # fmt: skip
@_docs
@_repo
@_mcp
@click.option("--project", default=None, help="The project's id; by default the brief's.")
@_audits
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0, MOST_SEED),
    help="For chance.",
)  # fmt: skip
@_settings
@_endpoint
@_model
@_local_only
@_mask
@_workers
@_json
def run(**given: object) -> int:
    """Work BRIEF to its end: a file, - for standard input, or the objective itself."""
    return _execute("run", given)


@commands.command()
@_brief
@click.option(
    "--write", type=click.Path(path_type=Path), default=None, metavar="FILE",
    help="Write the brief under its own keys, to be edited and planned.",
)  # fmt: skip
@_json
def read(**given: object) -> int:
    """Say what is understood of BRIEF: a file of any usual form, - or the text itself."""
    return _execute("read", given)


@commands.command()
@_brief
@click.option(
    "--modes", "compared", required=True, metavar="A,B,...", help="The modes, by commas.",
)  # fmt: skip
@click.option(
    "--seeds", default=1, show_default=True, type=click.IntRange(1, 100),
    help="How many seeds each mode is run with: 0, 1, …",
)  # fmt: skip
@_docs
@click.option("--project", default=None, help="The project's id; by default the brief's.")
@_audits
@_settings
@_endpoint
@_model
@_local_only
@_mask
@_json
def compare(**given: object) -> int:
    """Run BRIEF through several modes, and lay side by side what they come to."""
    return _execute("compare", given)


@commands.command()
@_json
def modes(**given: object) -> int:
    """List the modes that are installed, and the question that each answers."""
    return _execute("modes", given)


@commands.command()
@_brief
@_docs
@_repo
@_mcp
@click.option("--mode", default="graph", hidden=True)
@_endpoint
@_model
@_local_only
@_mask
@_json
def plan(**given: object) -> int:
    """Plan BRIEF without working on it."""
    return _execute("plan", given)


@commands.command()
@_run_dir
@click.option("--approve", is_flag=True, help="Approve the plan that waits for approval.")
@click.option(
    "--retry-failed", is_flag=True,
    help="Do the tasks that failed again, and all that builds on them, in a new run.",
)  # fmt: skip
@click.option(
    "--answer", "answers", multiple=True, metavar="ID=VALUE",
    help="Answer an open question, with a word or with JSON; may be given again.",
)  # fmt: skip
@click.option(
    "--by", default="command line", metavar="NAME",
    help="Who answers: a question that is put to somebody takes no other name.",
)  # fmt: skip
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE",
    help="Change a cap: MAX_CALLS, MAX_TOKENS, MAX_COST_USD, MAX_WALL_S, MAX_ATTEMPTS or "
    "CALL_TIMEOUT_S.",
)  # fmt: skip
@_local_only
@_mask
@_workers
@_json
def resume(**given: object) -> int:
    """Go on with a run after a crash, a stop, or a question."""
    return _execute("resume", given)


@commands.command()
@_run_dir
@click.option(
    "--redo", multiple=True, metavar="TASK[=NOTE]",
    help="Do this task again, heeding the note, and all that builds on it.",
)  # fmt: skip
@click.option(
    "--claim", "claims", multiple=True, metavar="TASK.NUMBER=TEXT",
    help="Put a claim of an answer in your words; what builds on it is done again.",
)  # fmt: skip
@click.option(
    "--accept", multiple=True, metavar="ID",
    help="Work the plan with this amendment of a run that proposes some; may be given again. "
    "Without any, those that people accepted in the run.",
)  # fmt: skip
@click.option(
    "--brief", default=None, metavar="BRIEF",
    help="Ask this brief instead; answers that rest on nothing which has changed are kept.",
)  # fmt: skip
@click.option("--by", default="command line", metavar="NAME", help="Who asks for it.")
@_workers
@_json
def revise(**given: object) -> int:
    """Start a run that takes over what holds of another one, and does the rest again."""
    return _execute("revise", given)


@commands.command()
@_brief
@click.argument("text")
@_reader_endpoint
@_judges
@_local_only
@_mask
@click.option(
    "--calibration", default=None, type=click.Path(path_type=Path),
    help="What dr-rd calibrate --task ledger wrote; without it no model reads along.",
)  # fmt: skip
@_json
def check(**given: object) -> int:
    """Hold TEXT, a file or -, against the limits of BRIEF."""
    return _execute("check", given)


@commands.command()
@click.argument("text")
@click.option("--brief", default=None, help="The brief that the text answers.")
@click.option(
    "--rubric", default="proposal", show_default=True, help="A rubric's id, or a YAML file."
)
@_docs
@_settings
@_judge_endpoint
@_judges
@_local_only
@_mask
@click.option("--author", default="", metavar="NAME", help="The model that wrote the text.")
@click.option(
    "--calibration", default=None, type=click.Path(path_type=Path),
    help="What dr-rd calibrate wrote; without it opinions are shown and do not count.",
)  # fmt: skip
@_json
def evaluate(**given: object) -> int:
    """Score TEXT, a file or -, under a rubric."""
    return _execute("evaluate", given)


@commands.command()
@click.argument("labels", type=click.Path(path_type=Path), required=False)
@click.option(
    "--task", default="scorecard", show_default=True, type=click.Choice(["scorecard", "ledger"]),
    help="What the model is to do: score a text, or read limits along with code. For the latter "
    "labels are shipped.",
)  # fmt: skip
@_judge_endpoint
@_judges
@_local_only
@_mask
@click.option(
    "--repeats", default=3, show_default=True, type=click.IntRange(1, 20),
    help="How often each text is judged, to see whether the judge keeps to its opinion.",
)  # fmt: skip
@click.option(
    "--out", default=None, type=click.Path(path_type=Path),
    help="Where the calibration goes; by default beside LABELS, or else ledger.calibration.json.",
)  # fmt: skip
@_json
def calibrate(**given: object) -> int:
    """Hold a judge's opinions of texts against people's LABELS, so that they may count."""
    return _execute("calibrate", given)


@commands.command()
@_run_dir
@_json
def replay(**given: object) -> int:
    """Do a recorded run again without network; say whether all of it comes out the same."""
    return _execute("replay", given)


@commands.command()
@_run_dir
@click.option(
    "--head", default="", metavar="HASH",
    help="A hash of the trace that was noted elsewhere, such as in a proposal; it must be in it.",
)  # fmt: skip
@_json
def verify(**given: object) -> int:
    """Check a run's trace and files: chain, hashes, references."""
    return _execute("verify", given)


@commands.command()
@_run_dir
@click.argument("other", type=click.Path(path_type=Path), metavar="RUN_DIR")
@_json
def diff(**given: object) -> int:
    """Say what changed from one run to another: brief, settings, plan, ledger, claims, numbers."""
    return _execute("diff", given)


@commands.command(name="list")
@_audits
@_json
def list_runs(**given: object) -> int:
    """List the runs on disk, newest first."""
    # without the surroundings of a run: a list takes nothing from them, and comes sooner
    with heard():
        return int(import_module("dr_rd.commands.list").execute(**given))
    return UNHEARD


@commands.command()
@_run_dir
@click.option(
    "--format",
    "kind",
    required=True,
    help="md, html, docx, pdf or zip; of its plan csv, xlsx or ics; what came of what: prov, rocrate or otlp.",
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, allow_dash=True),
    help="The file to write; - for standard output.",
)  # fmt: skip
def export(**given: object) -> int:
    """Write a run's result, its plan or all its files (zip) to one file."""
    return _execute("export", given)


@commands.command()
@click.option("--port", default=8501, show_default=True, type=click.IntRange(1, 65535))
@click.option("--headless", is_flag=True, help="Do not open a browser.")
@_audits
@click.option("--run", "run_id", default=None, help="Open on this run.")
@click.option(
    "--host", default=None, metavar="ADDRESS",
    help="Where to listen; by default for this machine alone. Others are served with --tokens.",
)  # fmt: skip
@_tokens
@click.option("--take-terminal", is_flag=True, hidden=True)
def ui(**given: object) -> int:
    """Serve the workbench on this machine."""
    return _execute("ui", given)


@commands.command()
@click.argument("action", type=click.Choice(["add", "remove", "list"]))
@click.argument("name", default="")
@_tokens
def token(**given: object) -> int:
    """Print a new token for a user NAME of a server, remove that user, or list all."""
    return _execute("token", given)


@commands.group()
def endpoint() -> None:
    """Look at the server whose models may be asked."""


@endpoint.command(name="test")
@click.option("--endpoint", default=None, help="Its address; by default DRRD_ENDPOINT.")
@click.option("--model", default=None, help="Its model; by default DRRD_MODEL.")
@_json
def test_endpoint(**given: object) -> int:
    """Try what the endpoint can do, with one request for each ability."""
    return _execute("endpoint", given)


@commands.command()
@_docs
def mcp(**given: object) -> int:
    """Serve the workbench's tools to other programs over standard input and output (MCP)."""
    return _execute("mcp", given)

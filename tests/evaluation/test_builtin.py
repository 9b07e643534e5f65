"""What the built-in library writes gives no metric of precise faults a reason for an alarm."""

import pytest

from core.graph.files import read_answers, read_plan
from dr_rd.evaluation.metrics import METRICS
from dr_rd.evaluation.scorecard import load_template
from tests.conftest import SAMPLES

PRECISE = (
    "completeness", "cost", "feasibility", "consistency", "arithmetic", "units", "citations",
    "secrets", "injection",
)  # fmt: skip


@pytest.fixture(scope="module", params=SAMPLES, ids=lambda p: p.stem)
def subjects(request, finish):
    """The proposal of a sample brief and its answers; what is cut once serves all metrics."""
    run = finish(request.param)
    tasks = read_plan(run.folder).tasks
    answers = read_answers(run.folder, tasks)
    template = load_template("answer")
    return [
        run.bench.proposal_subject(run.body, answers),
        *(
            run.bench.subject(answers[t.id].content, {t.id: answers[t.id]}).model_copy(
                update={"task": t, "template": template}
            )
            for t in tasks
        ),
    ]


@pytest.mark.parametrize("key", PRECISE)
def test_what_the_library_writes_raises_no_alarm(subjects, key):
    for found in map(METRICS[key], subjects):
        assert found.score in (1, None), found.rationale

"""What a model is given to write a section from."""

from core.graph.files import read_answers, read_plan
from core.graph.state import GraphState
from dr_rd.brief import Brief
from dr_rd.evidence.ingest import read_documents
from dr_rd.report.material import Run, materials, phases
from dr_rd.tools import load_tools


def test_a_section_gets_its_own_part_of_the_run_and_passages_speak_for_themselves(
    finish, tmp_path
):
    (tmp_path / "pilot.md").write_text(
        "# Pilot\n\nMulch reduced weeding time by 31 % on loam plots in the field trial.\n"
    )
    brief = Brief(
        objective="Test whether mulch reduces weeding time relative to bare soil in a field trial.",
        banned_moves=("herbicide treatment of any plot",),
    )
    run = finish(brief, docs=(tmp_path,))
    tasks = read_plan(run.folder).tasks
    state = GraphState(idea=brief.objective, tasks=tasks, answers=read_answers(run.folder, tasks))
    corpus = read_documents([tmp_path])
    design, tools = run.bench.design, load_tools()
    made = materials(Run(brief, run.bench.ledger, design, corpus, state, ("Why.", ""), tools))
    by_id = {m.id: m for m in made}
    assert [m.id for m in made] == [
        "summary", "approach", *(f"phase-{name}" for name, _ in phases(state)), "risks",
    ]  # fmt: skip
    assert {"brief", "plan", "B01"} <= by_id["summary"].ids
    assert {d.id for d in run.bench.design.directions} <= by_id["approach"].ids
    assert {r.id for r in run.bench.design.risks if r.id} <= by_id["risks"].ids
    for name, held in phases(state):
        assert {t.id for t in held} <= by_id[f"phase-{name}"].ids
        assert not {t.id for t in tasks if t not in held} & by_id[f"phase-{name}"].ids
    quoted = [s.text for m in made for s in m.sources if s.id == "E001"]
    assert quoted
    assert all(text in [p.text for p in corpus.passages] for text in quoted)
    assert all(m.language == "english" for m in made)
    assert "{'hits'" not in str(made)
    told = " ".join(s.text for m in made for s in m.sources)
    assert not any(f"{kind}: " in told for kind in ("constraint", "criterion", "ban"))
    assert "The brief rules out: herbicide treatment of any plot" in told

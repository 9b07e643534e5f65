"""The library: every file is valid, and together they cover what is promised."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

import pytest

from dr_rd.files import data_folder
from dr_rd.planning.library import Library, Role, _based, load_library
from dr_rd.planning.methods import Method, Topic
from dr_rd.planning.signals import phrases_in
from dr_rd.planning.techniques import Technique

OUT_OF_REACH: Mapping[str, frozenset[str]] = {
    # Desk work on texts: nothing is bought, built or consumed.
    "policy-legal": frozenset({"equipment", "materials"}),
    "document-review": frozenset({"equipment", "materials"}),
    "systematic-review": frozenset({"equipment", "materials"}),
}
"""Topics that no package of a method answers for, because the method has nothing of the kind."""

SHARED = frozenset(
    {
        "Every hard constraint of the brief is traceable to a clause.",
        "What is the smallest difference in {outcome} that would change a decision?",
    }
)
"""Sentences that more than one method needs in just these words."""

SENTENCE = 6
"""Words from which a text counts as a sentence; shorter ones may well occur twice."""

ROLE_WORDS = range(60, 141)


@pytest.fixture(scope="module")
def library() -> Library:
    return load_library()


def test_the_library_loads_and_covers_the_archetypes(library: Library):
    assert len(library.methods) >= 14
    assert len(library.roles) >= 12


@pytest.mark.parametrize("kind", ["methods", "techniques", "roles"])
def test_an_id_is_the_name_of_its_file(library: Library, kind: str):
    names = {p.name.rsplit(".", 1)[0] for p in (data_folder() / kind).iterdir()}
    ids = [entry.id for entry in getattr(library, kind)]
    assert set(ids) == names
    assert len(ids) == len(names)


def test_a_method_with_a_base_holds_its_packages_with_what_it_says_otherwise(library: Library):
    based = [m for m in library.methods if m.base]
    assert based
    for method in based:
        base = library.method(method.base)
        assert [p.id for p in method.packages] == [p.id for p in base.packages], method.id
        changed = [p.id for p in method.packages if p != base.by_id[p.id]]
        assert {"protocol", "analysis"} <= set(changed) < set(base.by_id), method.id
        assert set(base.risks) < set(method.risks), method.id


def test_a_base_without_the_named_package_is_refused():
    own = {"id": "x", "packages": [{"id": "brew", "title": "Brew"}]}
    with pytest.raises(ValueError, match="no packages"):
        _based(own, {"packages": [{"id": "protocol"}], "gates": []})


def test_titles_differ_between_methods_and_within_each(library: Library):
    assert _repeated(m.title for m in library.methods) == []
    for method in library.methods:
        assert _repeated(p.title for p in method.packages) == [], method.id


def test_titles_of_techniques_and_of_roles_differ(library: Library):
    assert _repeated(t.title for t in library.techniques) == []
    assert _repeated(r.title for r in library.roles) == []


def test_signals_are_lower_case_and_trimmed(library: Library):
    wrong = [(e.id, s) for e in library.techniques for s in _signals(e) if s != s.lower().strip()]
    assert wrong == []


def test_no_word_of_a_field_stands_in_a_phrase_that_it_is_to_settle(library: Library):
    wrong = [
        (e.id, phrase, word)
        for e in library.techniques
        for phrase in e.signals.ambiguous
        for word in phrases_in(e.signals.field, phrase)
    ]
    assert wrong == []


def test_every_topic_has_an_owner_in_every_method(library: Library):
    topics = set(get_args(Topic))
    unowned = {m.id: topics - {t for p in m.packages for t in p.owns} for m in library.methods}
    assert {key: missing for key, missing in unowned.items() if missing} == OUT_OF_REACH


def test_budget_and_schedule_have_an_owner_in_every_plan(library: Library):
    for method in library.methods:
        always = {t for p in method.packages if not p.needs for t in p.owns}
        assert {"scope", "budget", "schedule"} <= always, method.id


def test_demands_are_met_by_packages_that_are_always_planned(library: Library):
    for method in library.methods:
        always = {d for p in method.packages if not p.needs for d in p.satisfies}
        assert set(method.demands) <= always, method.id


def test_gates_wait_for_packages_that_are_always_planned(library: Library):
    for method in library.methods:
        assert [g.id for g in method.gates if method.by_id[g.after].needs] == [], method.id


def test_directions_are_decided_while_framing_and_a_trial_comes_before_the_analysis(
    library: Library,
):
    for method in library.methods:
        phases = [p.phase for p in method.packages]
        deciding = next(n for n, p in enumerate(method.packages) if p.decides)
        assert set(phases[: deciding + 1]) == {"framing"}, method.id
        assert phases.index("pilot") < phases.index("analysis"), method.id


def test_all_work_leads_to_one_report(library: Library):
    for method in library.methods:
        waited_for = {d for p in method.packages for d in p.depends_on}
        loose = [p.id for p in method.packages if p.id not in waited_for]
        assert loose == [method.packages[-1].id], method.id
        assert method.packages[-1].phase == "reporting", method.id


def test_estimates_are_in_order(library: Library):
    for method in library.methods:
        for package in method.packages:
            assert package.duration.points.mode > 0, (method.id, package.id)
            assert package.cost.points.mean >= 0, (method.id, package.id)


def test_each_role_is_used(library: Library):
    used = {p.role for m in library.methods for p in m.packages}
    assert {r.id for r in library.roles} - used == set()


def test_roles_are_described_briefly_and_without_figures(library: Library):
    for role in library.roles:
        assert len(role.text.split()) in ROLE_WORDS, role.id
        assert not re.search(r"\d", role.text), role.id


def test_each_parameter_and_name_is_used(library: Library):
    for entry in _signalled(library):
        texts = "\n".join(_texts(entry.model_dump(exclude={"names"})))
        unused = [p for p in entry.parameters if f"{{p.{p}}}" not in texts]
        unused += [n for n in entry.names if n not in texts]
        assert unused == [], entry.id


def test_no_article_stands_before_a_slot(library: Library):
    """Slots are filled with bare noun phrases or with fallbacks that bring their own article."""
    slot = re.compile(r"\b(?:an?|the) \{(?!p\.)", re.IGNORECASE)
    wrong = [
        (e.id, text)
        for e in _signalled(library)
        for text in _texts(e.model_dump())
        if slot.search(text)
    ]
    assert wrong == []


def test_no_sentence_is_repeated_across_files(library: Library):
    """Except the title of the package that decides and the reasons for conventional numbers."""
    common = SHARED | {p.title for m in library.methods for p in m.packages if p.decides}
    files = defaultdict(set)
    for entry in (*_signalled(library), *library.roles):
        shared = set(_sentences(library.method(entry.base))) if _base(entry) else set()
        for sentence in set(_sentences(entry)) - shared:
            files[sentence].add(entry.id)
    repeated = {text: ids for text, ids in files.items() if len(ids) > 1}
    assert {text: ids for text, ids in repeated.items() if text not in common} == {}


def _base(entry: Method | Technique | Role) -> str:
    return entry.base if isinstance(entry, Method) else ""


def _sentences(entry: Method | Technique | Role) -> Iterator[str]:
    """What an entry says, sentence by sentence, without words that are only matched or cited."""
    aside = {"signals", "fallbacks", "parameters", "references"}
    for text in _texts(entry.model_dump(exclude=aside)):
        yield from (s for s in re.split(r"(?<=[.?!])\s+", text) if len(s.split()) >= SENTENCE)


def _signalled(library: Library) -> tuple[Method | Technique, ...]:
    return (*library.methods, *library.techniques)


def _signals(entry: Technique) -> tuple[str, ...]:
    return (*entry.signals.strong, *entry.signals.weak, *entry.signals.against)


def _repeated(texts: Iterable[str]) -> list[str]:
    return [text for text, times in Counter(texts).items() if times > 1]


def _texts(value: Any) -> Iterator[str]:
    """Every text in a dumped entry, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)

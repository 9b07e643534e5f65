"""Data files are read as PyYAML reads them, only sooner."""

import pytest
import yaml

from dr_rd.files import data_folder, parse_yaml

USUAL = {
    "nothing": "",
    "kinds": "a: 0x1F\nb: 1_000\nc: ~\nd: yes\ne: ''\nf: '1'\ng: 1.5\nh: .inf\ni: 2026-11-30\nj:\n",
    "flow": "[1, {a: b}, [], {}, 'x', \"y\\n\"]",
    "blocks": "text: |\n  a\n  b\nfolded: >-\n  a\n  b\n",
    "keys": "1: a\nno: b\n2026-11-30: c\na: 1\na: 2\n",
}
UNUSUAL = {
    "an anchor": "a: &x [1]\nb: *x\n",
    "a merge": "<<: {a: 1}\nb: 2\n",
    "a tag": "a: !!str 1\n",
    "two documents": "--- a\n--- b\n",
    "a list for a key": "? [1]\n: 2\n",
    "an object": "!!python/object/apply:os.getcwd []\n",
    "no YAML": "a: [1\n",
    "no date": "a: 2026-99-99\n",
    "a control character": "a: \0\n",
}


def outcome(load, text: str) -> str:
    try:
        return repr(load(text))
    except (yaml.YAMLError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("text", [*USUAL.values(), *UNUSUAL.values()], ids=[*USUAL, *UNUSUAL])
def test_yaml_is_read_as_pyyaml_reads_it(text):
    assert outcome(parse_yaml, text) == outcome(_pyyaml, text)


@pytest.mark.parametrize("folder", ["language", "planning"])
def test_the_data_files_are_too(folder):
    texts = [
        p.read_text("utf-8") for p in (data_folder() / folder).iterdir() if p.suffix == ".yaml"
    ]
    assert len(texts) > 3
    assert [parse_yaml(text) for text in texts] == [_pyyaml(text) for text in texts]


def test_a_deep_document_is_read():
    text = "[" * 400 + "]" * 400
    assert outcome(parse_yaml, text) == outcome(_pyyaml, text)


def _pyyaml(text: str):
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - a safe one

"""What Streamlit's Markdown would make of signs that mean nothing special elsewhere."""

import pytest

from dr_rd.ui.text import plain, safe_markdown, under


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("![x](http://a.example/p.png)", "!\\[x]\\(`http://a.example/p.png`)"),
        ("[x](//a.example) [x][r]\n[r]: /a", "[x]\\(//a.example) [x]\\[r]\n[r]\\: /a"),
        (
            "see HTTP://a.example/b, or www.b.example.",
            "see `HTTP://a.example/b`, or `www.b.example`.",
        ),
        ("run `dr-rd --endpoint http://a.example`", "run `dr-rd --endpoint http://a.example`"),
        ("a ` b http://a.example/![x](p) c", "a \\` b `http://a.example/`!\\[x]\\(p) c"),
        ("as T02 [T02-1][C01] shows", "as T02 [T02-1]\\[C01] shows"),
        ("a <b>bold</b> word", "a &lt;b>bold&lt;/b> word"),
        ("between $5 and $9", "between \\$5 and \\$9"),
        ("<!-- note -->\nText", "Text"),
        (":material/home: and :red[x]", "\\:material/home: and \\:red[x]"),
        ("at 10:30, ratio 1:2", "at 10:30, ratio 1:2"),
        ("> **quoted**", "> **quoted**"),
    ],
)
def test_nothing_in_a_proposal_is_fetched_or_run(given, expected):
    assert safe_markdown(given) == expected


def test_plain_text_keeps_its_signs():
    assert plain("a *b* [c](d)\n<e>") == "a \\*b\\* \\[c\\]\\(d\\) \\<e\\>"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("to http://127.0.0.1:80/v1.", "to `http://127.0.0.1:80/v1`."),
        ('says "https://a.example/b_c" (x)', 'says "`https://a.example/b_c`" \\(x\\)'),
        ("`http://a.example`", "\\``http://a.example`\\`"),
    ],
)
def test_an_address_in_plain_text_is_no_link(given, expected):
    assert plain(given) == expected


def test_headings_fit_below_the_pages_own_and_stop_at_the_last_level():
    assert under("# A\n###### B\n#hash") == "## A\n###### B\n#hash"
    assert under("### T01\n#### More") == "## T01\n### More"
    assert under("no heading") == "no heading"

"""What is listed reaches no server, and nobody who reads the run can tell that it was hidden."""

import asyncio
import json
import re
from unicodedata import category, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.breakers import Breakers
from core.budget import Budget
from core.calls import Caller
from core.clock import seeded
from core.errors import CallerError, Stopped, TaskError
from core.requests import Fault, Reply, Request, ToolCall
from core.settings import Flags
from core.testing import FakeClock
from dr_rd.models.address import endpoint_of
from dr_rd.models.chat.send import chat_send
from dr_rd.models.privacy.masking import Mask, Term, masked, read_mask
from tests.fake_llm import FakeLLM

NAMES = ("Acme", "Jane Doe", "Müller & Söhne", "U.S. Steel", "滇池", "Acme Labs", "7-Eleven", "Fi")
FIGURES = ("1,250,000", "3.75", "412")
_CODE = re.compile(r"(?:Name|Figure)[B-Z]{7}")


def mask(*terms, seed=1):
    listed = [Term(*t) if isinstance(t, tuple) else Term(t) for t in terms or NAMES + FIGURES]
    return Mask(listed, seeded(seed)("mask"))


def hidden(text, *terms):
    """Hide a text, see that it can be restored, and show codes as a dot."""
    held = mask(*terms)
    found = held.hide(text)
    assert held.restore(found) == text
    return _CODE.sub("•", found)


# ---------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Acme, ACME and acme.", "•, • and •."),
        ("Acme's and Acme’s and Acmes plan", "•'s and •’s and •s plan"),
        ("academe, Acmeville, macme", "academe, Acmeville, macme"),
        ("acme_report_Acme2.pdf", "•_report_•2.pdf"),
        ("Acme Labs of Acme", "• of •"),
        ("Jane Doe, jane.doe@x.org, JANE\n  DOE, Jane\u00a0Doe, janedoe", "•, •@x.org, •, •, •"),
        ("Mu\u0308ller & So\u0308hne; MULLER & SOHNE; Ｍüller & Söhne", "•; •; •"),
        ("研究滇池的水和Acme的", "研究•的水和•的"),
        ("U.S. Steel makes us steel", "• makes us steel"),
        ("a 7-Eleven, 7 eleven, 17-Eleven", "a •, •, 17-Eleven"),
        ("ﬁ, Fi, fifi", "•, •, fifi"),
        ('{"who": "of\\nAcme\\tand Jane\\nDoe"}', '{"who": "of\\n•\\tand •"}'),
        ("Acme™, Acme² and 412³; Ac\u00adme", "•™, •² and •³; •"),
        ("nothing listed here", "nothing listed here"),
        ("", ""),
    ],
)
def test_a_name_is_hidden_however_it_is_written_and_nothing_else_is(text, seen):
    assert hidden(text) == seen


def test_the_longest_name_wins_and_each_keeps_its_own_code():
    held = mask()
    first, second = held.hide("Acme Labs"), held.hide("Acme")
    assert first != second
    assert held.hide("Acme Labs and Acme, Acme Labs") == f"{first} and {second}, {first}"


def test_codes_tell_nothing_and_differ_between_runs():
    assert mask(seed=1).hide("Acme") != mask(seed=2).hide("Acme")
    assert "acme" not in repr(mask("Acme")).lower()
    assert "acme" not in repr(Term("Acme")).lower()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Anna Smith Kline met Kline", "• met Kline"),
        ("anna.smith.kline, ANNA SMITH-KLINE Jones", "•, •"),
        ("Corp Acme Corp of Acme Corp", "• of •"),
        ("Anna Smith, Smith Kline", "•, •"),
    ],
)
def test_of_names_that_overlap_nothing_is_shown(text, seen):
    names = ("Anna Smith", "Smith Kline", "Kline Jones", "Corp Acme", "Acme Corp")
    assert hidden(text, *names) == seen
    held = mask(*names)
    assert held.restore_reply(held.hide(text)) == text


# ------------------------------------------------------------------------------ disguises

DISGUISED = {
    "a zero-width space": "Sm\u200bith",
    "a zero-width joiner": "S\u200dm\u200di\u200dt\u200dh",
    "a word joiner": "Smi\u2060th",
    "a byte order mark": "\ufeffSmi\ufeffth",
    "a right-to-left mark": "S\u200fmith",
    "a soft hyphen": "Smi\u00adth",
    "a variation selector": "Smith\ufe0f",
    "a Hangul filler": "Smi\u3164th",
    "a control character": "Smi\x08th",
    "a tag": "Smi\U000e0061th",
    "Cyrillic letters": "Ѕmіth",
    "a Cyrillic capital": "SMIТH",
    "a small Cyrillic letter": "Sмith",
    "Greek letters": "Smιτh",
    "Greek capitals": "SΜΙΤΗ",
    "Armenian letters": "Տmitհ",
    "Cherokee letters": "ᏚmᎥtᏂ",
    "Lisu letters": "ꓢꓟꓲꓔꓧ",
    "small capitals": "ꜱᴍɪᴛʜ",
    "a dotless letter": "Smıth",
    "a stroke": "Smiŧh",
    "full-width letters": "Ｓｍｉｔｈ",
    "mathematical letters": "𝐒𝗆𝑖𝚝𝔥",
    "letters in circles": "Ⓢⓜⓘⓣⓗ",
    "white letters in black circles": "🅢🅜🅘🅣🅗",
    "regional indicators": "🇸🇲🇮🇹🇭",
    "combining marks": "S\u0301m\u0323i\u0308th",
    "combining strokes": "S\u0336m\u0336i\u0336t\u0336h\u0336",
    "spaces": "S m i t h",
    "wide spaces": "S\u2003m\u2003i\u2003t\u2003h",
    "points": "s.m.i.t.h",
    "dashes": "S-M-I-T-H",
    "lines of one letter": "S\nm\ni\nt\nh",
    "a line's end": "Smi\nth",
    "a hyphen at a line's end": "Smi-\r\n  th",
    "a line's end as in JSON": "Smi\\nth",
    "marks of Markdown": "Sm**it**h",
    "a line separator": "Smi\u2028th",
    "all at once": "Ѕ\u200b m\u0301\u00ad ｉ τ\u2060 h",
}  # fmt: skip


_SMITH = mask("Smith")


@pytest.mark.parametrize("form", DISGUISED.values(), ids=DISGUISED)
@pytest.mark.parametrize("around", ["{}", "Ask {}, now.", "(«{}»)", "a b {}: c d", "a\n{}\nb"])
def test_a_disguised_name_is_hidden_and_a_reply_has_it_as_it_is_listed(form, around):
    text, held = around.format(form), _SMITH
    told = held.hide(text)
    assert held.restore(told) == text
    assert len(_CODE.findall(told)) == 1
    rest = _CODE.sub("", told)
    assert bare("".join(filter(str.isalnum, rest))) == "".join(filter(str.isalnum, around))
    assert held.restore_reply(_CODE.search(told)[0]) == "Smith"


@pytest.mark.parametrize(
    ("form", "listed"),
    [
        ("М ü l l e r  &  S ö h n e", "Müller & Söhne"),
        ("Müller&Söhne", "Müller & Söhne"),
        ("Müller &amp; Söhne", "Müller & Söhne"),
        ("J a n e D o e", "Jane Doe"),
        ("Jane\n> Doe", "Jane Doe"),
        ("Jane **Doe**", "Jane Doe"),
        ("ВТБ", "втб"),
        ("втб", "ВТБ"),
        ("BTБ", "втб"),
        ("Νίκη ΝΙΚΗ", "Νίκη"),
        ("滇\n池", "滇池"),
        ("滇\u200b池", "滇池"),
        ("7Eleven", "7-Eleven"),
        ("A T & T", "AT&T"),
    ],
)
def test_a_name_of_any_script_and_of_several_words_is_found_in_disguise(form, listed):
    assert set(re.sub(r"\W", "", hidden(form, listed))) <= {"•"}


def test_what_is_invisible_may_part_words_too():
    assert hidden("at\u200bAcme, Fi\u200bAcme, no\u2060fi, Acmeⓡ", "Acme", "Fi") == (
        "at\u200b•, •\u200b•, no\u2060•, •ⓡ"
    )


@pytest.mark.parametrize(
    "form", ["ACME", "acme", "Acme", "Acme\u2010Labs", "acme.labs", "AcmeLabs"]
)
def test_capitals_and_joints_of_a_name_stay_as_they_were_written(form):
    held = mask("Acme", "Acme Labs")
    assert held.restore_reply(held.hide(form)) == form


@pytest.mark.parametrize(
    "text", ["to be or not", "F inally: F. I. or f i", "the smiths' S, m, i", "Smi th", "smi. th"]
)
def test_words_that_are_no_name_stay(text):
    assert hidden(text, "Tobe", "Fi", "Smithy", "Smit") == text


@pytest.mark.parametrize(
    "form",
    ["1\u200b250\u200b000", "1,250\u2060,000", "1 2 5 0 0 0 0", "𝟏𝟐𝟓𝟎𝟎𝟎𝟎", "1,\u00ad250,000"],
)
def test_a_disguised_figure_is_hidden(form):
    assert hidden(f"It costs {form} EUR.") == "It costs • EUR."


_INVISIBLE = ("", "\u200b", "\u00ad", "\u2060", "\u0301", "\ufe0f")
_ALIKE = {"a": "aаα", "c": "cсϲ", "e": "eеε", "m": "mмＭ", "o": "oоο", "s": "sѕꜱ"}
_COSMO = mask("AcmeCosmo")
_GAPS = ("", " ", ".", " - ", "\u2009")


@given(st.data())
def test_no_mixture_of_disguises_lets_a_name_through(data):
    gap = data.draw(st.sampled_from(_GAPS))
    letters = [
        data.draw(st.sampled_from(_ALIKE.get(letter, letter)))
        + data.draw(st.sampled_from(_INVISIBLE))
        for letter in "acmecosmo"
    ]
    text = f"It is {gap.join(letters)}, yes."
    told = _COSMO.hide(text)
    assert _CODE.sub("•", told) == "It is •, yes."
    assert _COSMO.restore(told) == text
    assert _COSMO.restore_reply(told) in (text, "It is AcmeCosmo, yes.")


# -------------------------------------------------------------------------------- figures


@pytest.mark.parametrize(
    "written",
    """1,250,000|1250000|1.250.000|1 250 000|1\u202f250\u202f000|1'250'000|12,50,000|1250000.00
    |1.25 million|1.25M|1,25 Mio|1.250 millions|1250 k|1,250 thousand|12.5 lakh|125万|0.00125 bn
    |１２５００００""".replace("\n    ", "").split("|"),
)
def test_a_figure_is_hidden_however_it_is_written(written):
    assert hidden(f"It costs {written} EUR.") == "It costs • EUR."
    assert hidden(f'{{"cost": {written}}}') == '{"cost": •}'


@pytest.mark.parametrize(
    "other",
    ["11,250,000", "1,250,0001", "1,250,000,000", "1250001", "11250000", "1250000.5", "1.25",
     "1.255 million", "1412", "4120", "4.12", "412.5", "412,000", "13.75", "3.751"],
)  # fmt: skip
def test_another_figure_is_left_as_it_is(other):
    assert hidden(f"It costs {other} EUR.") == f"It costs {other} EUR."


@pytest.mark.parametrize("listed", ["€1.25 million", "1250000 EUR", "USD 1,250,000", "1.25M"])
def test_a_figure_may_be_listed_in_any_form(listed):
    assert hidden("1250000 or 1,250,000", listed) == "• or •"


def test_a_figure_in_a_list_without_spaces_is_hidden():
    assert hidden("[1,1250000,2]") == "[1,•,2]"


# ----------------------------------------------------------------------------------- laws

_PIECES = st.sampled_from(
    [
        *NAMES,
        *FIGURES,
        *(n.upper() for n in NAMES),
        *(normalize("NFD", n) for n in NAMES),
        *DISGUISED.values(),
        *"1250000|1.25 million|1.25|250|Jane|Doe|Labs|'s|s|en|万| |.|,|-|\n|\\n|\u0301|\u200b".split("|"),
        *("Name", "NAMEBCDFGHJ", "figureBCDFGHJ", "BCDFGH", "Project One", "project ones", "İ", "ß"),
    ]
)  # fmt: skip
_ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
_TEXTS = st.lists(st.one_of(_PIECES, _ANY), max_size=14).map("".join)
_USUAL = mask()
_LIST = [*NAMES[1:], *FIGURES, ("Acme", "Project One"), ("Acme Works", "Firm")]


@given(st.lists(_TEXTS, max_size=3), st.integers(0, 9))
def test_what_is_hidden_can_be_restored_letter_by_letter(texts, seed):
    held = mask(*_LIST, seed=seed)
    told = [held.hide(text) for text in texts]
    assert [held.restore(text) for text in told] == texts


def bare(text):
    return "".join(c for c in normalize("NFD", text) if category(c) not in ("Mn", "Me"))


@given(_TEXTS)
def test_no_listed_term_is_in_a_hidden_text(text):
    plain = bare(_CODE.sub("x", _USUAL.hide(text)))
    for name in map(bare, NAMES):
        word = rf"(?<!\w){re.escape(name)}(?:['’]?s)?(?!\w)" if name != "滇池" else name
        assert not re.search(word, plain, re.IGNORECASE)
    for figure in FIGURES:
        assert not re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d.,'])", plain)


@given(st.text(alphabet="ab1 .-é", min_size=2, max_size=8), _TEXTS)
def test_any_term_that_may_be_listed_can_be_restored(term, text):
    listed = term if any(c.isalnum() for c in term) else "ab"
    held = mask(listed, ("Zed", "Quux"))
    given_text = f"{text}{term}{text} {term}s Quux"
    assert held.restore(held.hide(given_text)) == given_text


# ------------------------------------------------------------------------------ stand-ins


def test_a_stand_in_of_ones_own_is_shown_for_the_name_as_listed():
    held = mask(("Acme", "Company One"))
    assert held.hide("Acme's site") == "Company One's site"
    assert held.restore("COMPANY ONE's site") == "Acme's site"


def test_a_stand_in_that_is_in_the_text_already_is_not_taken_for_the_name():
    text = "Acme is no Company One."
    held = mask(("Acme", "Company One"))
    told = held.hide(text)
    assert told.startswith("Company One is no Name")
    assert held.restore(told) == text


def test_a_code_that_is_in_the_text_already_is_not_taken_for_the_name():
    held = mask("Acme")
    code = held.hide("Acme")
    told = held.hide(f"{code} is not Acme, {code.lower()}")
    assert told.count(code) == 1
    assert held.restore(told) == f"{code} is not Acme, {code.lower()}"


# -------------------------------------------------------------------------------- sending


def asked(**body):
    said = body.pop("messages", [{"role": "user", "content": "Acme pays 1,250,000 to Jane Doe"}])
    return Request("answer", "T01", "m", "http://here", {"messages": said, **body})


def through(request, answer, *terms):
    """Send through a mask; *answer* gets what the server sees and gives its reply."""
    seen = []

    async def send(request):
        seen.append(request.body)
        return answer(request.body)

    return asyncio.run(masked(send, mask(*terms))(request)), seen[0]


def content(body):
    return body["messages"][0]["content"]


def test_a_reply_in_stand_ins_comes_back_in_names():
    reply, body = through(asked(), lambda b: Reply(text=f"So: {content(b)}.", finish="stop"))
    assert _CODE.sub("•", content(body)) == "• pays • to •"
    assert reply.text == "So: Acme pays 1,250,000 to Jane Doe."


def test_every_text_of_a_request_is_hidden_and_the_protocol_is_not():
    args = json.dumps({"who": "Jane Doe", "much": 1250000, "n": 412.5, "on": True, "no": None})
    call = {"id": "c1", "type": "function", "function": {"name": "acme_find", "arguments": args}}
    picture = "data:image/png;base64,Acme/412+Acme"
    request = asked(
        messages=[
            {"role": "system", "content": "You are Acme's."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": '{"found": "Acme"}'},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Acme?"},
                    {"type": "image_url", "image_url": {"url": picture}},
                ],
            },
        ],
        tools=[
            {
                "type": "function",
                "function": {
                    "name": "acme_find",
                    "description": "Looks into Acme.",
                    "parameters": {
                        "type": "object",
                        "properties": {"acme": {"type": "string", "enum": ["Acme", "both"]}},
                        "required": ["acme"],
                    },
                },
            }
        ],
        max_tokens=412,
    )
    _, body = through(request, lambda b: Reply(text="ok", finish="stop"))
    told = json.dumps(body, ensure_ascii=False).replace(picture, "")
    assert "cme" not in told and "Doe" not in told and "1250000" not in told
    assert [m["role"] for m in body["messages"]] == ["system", "assistant", "tool", "user"]
    assert body["messages"][3]["content"][1]["image_url"]["url"] == picture
    assert body["max_tokens"] == 412
    parameters = body["tools"][0]["function"]["parameters"]
    assert parameters["required"] == list(parameters["properties"])
    sent = json.loads(body["messages"][1]["tool_calls"][0]["function"]["arguments"])
    assert sent == {**sent, "n": 412.5, "on": True, "no": None}
    assert _CODE.fullmatch(sent["much"])


def test_words_of_the_protocol_stay_even_where_they_are_listed():
    request = asked(messages=[{"role": "user", "content": "user and content"}])
    _, body = through(request, lambda b: Reply(text="ok", finish="stop"), "user", "content")
    assert body["messages"][0]["role"] == "user"
    assert _CODE.sub("•", content(body)) == "• and •"


def test_a_tool_call_comes_back_in_names_and_digits():
    def answer(body):
        who, much = _CODE.findall(content(body))[0], _CODE.findall(content(body))[1]
        args = {"to": [who], "much": much, "why": f"{much} for {who}", "times": 2}
        call = ToolCall(id="c1", name="pay", args=args, problem=f"no {who}")
        return Reply(text="", finish="tool_calls", tool_calls=(call,))

    reply, _ = through(asked(), answer)
    (call,) = reply.tool_calls
    assert call.args == {
        "to": ["Acme"], "much": "1250000", "why": "1,250,000 for Acme", "times": 2
    }  # fmt: skip
    assert call.problem == "no Acme"


def test_a_reply_in_json_stays_json():
    request = asked(messages=[{"role": "user", "content": "Jane\nDoe has 1,250,000"}])

    def answer(body):
        who, much = _CODE.findall(content(body))
        return Reply(text=f'{{"who": "{who}", "much": "{much}"}}', finish="stop")

    reply, _ = through(request, answer)
    assert json.loads(reply.text) == {"who": "Jane Doe", "much": "1250000"}


def test_a_fault_comes_back_in_names():
    async def send(request):
        said = content(request.body)
        raise Fault("permanent", f"refused: {said}", status=400, partial=said, retry_after_s=3)

    with pytest.raises(Fault) as met:
        asyncio.run(masked(send, mask())(asked()))
    fault = met.value
    assert fault.message == "refused: Acme pays 1,250,000 to Jane Doe"
    assert fault.partial == "Acme pays 1,250,000 to Jane Doe"
    assert (fault.kind, fault.status, fault.retry_after_s) == ("permanent", 400, 3)
    assert fault.__context__ is None and fault.__cause__ is None


@pytest.mark.parametrize("fault", ["", "400", "truncate"])
def test_a_server_sees_no_name_and_the_record_no_stand_in(fault):
    kept, events = [], []

    async def go():
        fake = FakeLLM(reply=lambda body: f"Read: {content(body)}", log=9, seed=0)
        async with fake, chat_send(fake.base_url, "", clock=FakeClock()) as send:
            caller = Caller(
                masked(send, mask()),
                record=events.append,
                keep=lambda value: kept.append(value) or "0" * 64,
                clock=FakeClock(),
                random=seeded(0),
                budget=Budget(Flags(), FakeClock()),
                breakers=Breakers(),
            )
            said = f"Acme pays 1,250,000 to Jane Doe {f'[[fake fault={fault}]]' if fault else ''}"
            request = asked(messages=[{"role": "user", "content": said}], stream=True)
            request = Request("answer", "T1", "m", endpoint_of(fake.base_url), request.body)
            try:
                await caller.call(request)
            except (TaskError, Stopped) as failure:
                events.append(str(failure))
            return json.dumps(list(fake.requests))

    seen = asyncio.run(go())
    assert "Acme" not in seen and "1,250,000" not in seen and "Doe" not in seen
    assert _CODE.search(seen)
    record = json.dumps(kept) + str(events)
    assert "Acme pays 1,250,000 to Jane Doe" in record
    assert not _CODE.search(record)


# ------------------------------------------------------------------------------- the list


def test_a_list_is_read_from_lines_or_from_yaml(tmp_path):
    lines = tmp_path / "mask.txt"
    lines.write_text("# ours\nAcme => Company One\n\n1,250,000  # the budget\n")
    entries = tmp_path / "mask.yaml"
    entries.write_text("- hide: Acme\n  as: Company One\n- 1250000\n")
    for path in (lines, entries):
        held = read_mask(path, seeded(1)("mask"))
        assert _CODE.sub("•", held.hide("Acme has 1250000")) == "Company One has •"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "lists 0 terms"),
        ("Acme\nSecretCorp\nsecretcorp", r"line 3: it is listed twice"),
        ("SecretCorp => ", "^$"),
        ("=> SecretCorp", "line 1: write a name or a figure"),
        ("...", "line 1: write a name"),
        ('Secret "Corp"', "line 1: write a name"),
        ("12", "fewer than 3 digits"),
        ("12 %", "fewer than 3 digits"),
        ("S", "2 letters"),
        ("SecretCorp => Company 1", "line 1: a stand-in is written with letters"),
        ("SecretCorp => One\nAcme => One", "line 2: its stand-in stands for another"),
        ("SecretCorp => The SecretCorp", "a stand-in holds what is to be hidden"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_without_repeating_it(tmp_path, text, said):
    path = tmp_path / "mask.txt"
    path.write_text(text)
    if said == "^$":
        read_mask(path, seeded(1)("mask"))
        return
    with pytest.raises(CallerError, match=said) as refused:
        read_mask(path, seeded(1)("mask"))
    assert "secret" not in str(refused.value).lower().replace("secrets", "")


@pytest.mark.parametrize("text", ["- [", "- {hide: Acme, with: x}", "Acme", "- true"])
def test_yaml_that_is_no_list_of_texts_is_refused(tmp_path, text):
    path = tmp_path / "mask.yaml"
    path.write_text(text)
    with pytest.raises(CallerError, match="mask"):
        read_mask(path, seeded(1)("mask"))


def test_a_list_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CallerError, match="cannot be read"):
        read_mask(tmp_path / "none.txt", seeded(1)("mask"))


def test_too_long_a_list_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "mask.txt"
    path.write_text("Secret\n" * 5_000)  # each but the first would be "listed twice"
    with pytest.raises(CallerError, match="lists 5000 terms; give 1 to 1000"):
        read_mask(path, seeded(1)("mask"))


def test_a_list_is_known_by_marks_that_do_not_tell_what_it_holds():
    salt, marks = mask("Acme", "1,250,000").sealed()
    assert set(mask("ACME", "Zeta", "1.25 million").marks(salt)) > set(marks)
    assert not set(mask("Zeta", "1,250,001").marks(salt)) & set(marks)
    assert not set(mask("Acme", seed=2).marks("another")) & set(marks)
    assert "acme" not in f"{salt} {marks}".lower()

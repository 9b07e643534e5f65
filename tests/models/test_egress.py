"""What is on this machine and what only looks like it, and who may be asked."""

import asyncio

import pytest

from core.errors import CallerError
from core.requests import Request
from core.settings import read_services
from core.testing import FakeClock
from dr_rd.models.address import is_local
from dr_rd.models.chat.send import chat_send
from dr_rd.models.privacy.egress import refuse_remote, refuse_unlisted
from tests.fake_llm import FakeLLM

_HERE = """
http://localhost:11434/v1
https://localhost/v1
HTTP://LocalHost:80
http://127.0.0.1:8080/v1
http://127.255.255.254
http://[::1]:8080/v1
http://[0:0:0:0:0:0:0:1]/v1
http://[::ffff:127.0.0.1]/v1
http://[::ffff:7f00:1]/v1
""".split()
_ELSEWHERE = """
https://api.openai.com/v1
http://localhost.example.org/v1
http://localhost.
http://foo.localhost/v1
http://notlocalhost/v1
http://127.0.0.1.nip.io/v1
http://127.0.0.1.
http://127.1/v1
http://0177.0.0.1/v1
http://127.0.0.01/v1
http://0x7f000001/v1
http://0x7f.0.0.1/v1
http://2130706433/v1
http://0.0.0.0:8080/v1
http://[::]/v1
http://[::1%25lo]/v1
http://[::127.0.0.1]/v1
http://[::ffff:10.0.0.1]/v1
http://10.0.0.1/v1
http://192.168.1.5:11434/v1
http://169.254.169.254/v1
http://127.0.0.1@evil.example.org/v1
http://evil.example.org@127.0.0.1/v1
http://evil.example.org\\@localhost/v1
http://localhost\\.evil.example.org/v1
http://local%68ost/v1
http://ｌocalhost/v1
http://①27.0.0.1/v1
http://[::1/v1
http://localhost:port:1
ftp://localhost/v1
localhost:11434/v1
//localhost/v1
http:///v1
http://
""".split()


@pytest.mark.parametrize("url", _HERE)
def test_loopback_is_on_this_machine(url):
    assert is_local(url)


@pytest.mark.parametrize("url", [*_ELSEWHERE, "", "http://local\thost/v1", "http://localhost /v1"])
def test_what_is_not_certain_to_be_on_this_machine_is_not(url):
    assert not is_local(url)


def test_local_only_refuses_another_machine_with_the_host_and_the_remedy():
    refuse_remote("http://127.0.0.1:8080/v1")
    with pytest.raises(CallerError, match=r"https://api\.example\.org .*localhost:11434.*leave"):
        refuse_remote("https://api.example.org/v1")


@pytest.mark.parametrize(
    "url",
    ["https://api.example.org/v1", "https://API.example.org:8443/v1", "http://localhost:11434/v1"],
)
def test_a_listed_host_may_be_asked(url):
    allowed = " api.example.org, localhost:11434,,"
    services = read_services({"DRRD_ENDPOINTS_ALLOWED": allowed})
    refuse_unlisted(url, services.endpoints_allowed)


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.api.example.org/v1",
        "https://api.example.org.evil.net/v1",
        "http://localhost:11435/v1",
        "http://localhost/v1",
        "http://127.0.0.1:11434/v1",
    ],
)
def test_an_unlisted_host_is_refused_with_the_choices(url):
    with pytest.raises(CallerError, match=r"choose from: api\.example\.org, localhost:11434"):
        refuse_unlisted(url, ("localhost:11434", "api.example.org"))


def test_without_a_list_no_host_is_listed():
    with pytest.raises(CallerError, match="choose from: none"):
        refuse_unlisted("http://localhost/v1", read_services({}).endpoints_allowed)


def test_what_stays_on_this_machine_goes_through_no_proxy(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    body = {"messages": [{"role": "user", "content": "hi"}]}

    async def go():
        async with FakeLLM() as fake, chat_send(fake.base_url, "k", clock=FakeClock()) as send:
            await send(Request("answer", "", "m", "http://here", body))
            return fake.counts["requests"]

    assert asyncio.run(go()) == 1

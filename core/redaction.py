"""Secrets are taken out of texts before these are sent, hashed or written down."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from json import dumps
from typing import cast
from urllib.parse import quote, quote_plus

from pydantic import JsonValue

MARK = "[redacted]"
"""What stands where a secret was."""

_SHORTEST = 6
"""Values shorter than this are not looked for: they would be found everywhere."""

_LEAST = 9
"""No rule fits a text shorter than this; most texts of a request are words such as "role"."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret."""

    name: str
    hints: tuple[str, ...]
    """The rule is tried only on texts whose lower case holds one: searching for a word is fast."""
    pattern: re.Pattern[str]
    """Its last group is the secret; without groups all of it is."""


def _rule(name: str, hints: str, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> Rule:
    return Rule(name, tuple(hints.split()), re.compile(pattern, flags))


def _starting(prefix: str, rest: str) -> str:
    # the look-back stands behind the prefix, so that the search runs for a literal
    return rf"{prefix}(?<![A-Za-z0-9_-]{prefix}){rest}(?![A-Za-z0-9])"


_LOOSE = re.IGNORECASE
_NAMES = (
    r"(?:api[-_]?key|apikey|pass(?:word|wd|phrase)|secret(?:[-_]?access)?(?:[-_]?key)?"
    r"|client[-_]?secret|private[-_]?key"
    r"|(?:access|refresh|auth|session|id)[-_]?token)"
)
_HINTS = (
    "apikey api_key api-key passw passphrase secret privatekey private_key private-key "
    "_token -token stoken htoken ntoken idtoken"
)
_MIXED = r"(?=[^\s\"'&]*[0-9!@#$%^*+=/])"
"""Ahead is a value that no prose has: with a digit or a sign in it."""

RULES = (
    _rule("openai key", "sk-", _starting("sk-", r"(?=[\w-]*\d)[\w-]{20,}")),
    _rule("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{36,}"),
    _rule("github token", "github_pat_", _starting("github_pat_", r"\w{30,}")),
    _rule("gitlab token", "glpat-", _starting("glpat-", r"[\w-]{20,}")),
    _rule("google key", "aiza", _starting("AIza", r"[\w-]{35}")),
    _rule("google token", "ya29.", _starting(r"ya29\.", r"[\w-]{20,}")),
    _rule("hugging face token", "hf_", _starting("hf_", r"[A-Za-z0-9]{30,}")),
    _rule("slack token", "xox", _starting("xox", r"[abeoprs]-[A-Za-z0-9-]{10,}")),
    _rule("aws key id", "akia asia", r"\bA(?:KI|SI)A[0-9A-Z]{16}\b"),
    _rule("stripe key", "k_live_ k_test_", r"\b[prs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _rule("groq key", "gsk_", _starting("gsk_", r"[A-Za-z0-9]{30,}")),
    _rule("registry token", "pypi- npm_", r"\b(?:pypi-[\w-]{40,}|npm_[A-Za-z0-9]{36})"),
    _rule("web token", "eyj", _starting("eyJ", r"[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}")),
    _rule("bearer", "bearer", rf"\bbearer\s+{_MIXED}([\w.~+/=-]{{12,}})", _LOOSE),
    _rule("basic", "basic", r"\bbasic\s+(?=[A-Za-z]*[0-9+/=])([A-Za-z0-9+/]{12,}={0,2})", _LOOSE),
    _rule(
        "header",
        "api-key auth-token",
        r"\b(?:x-)?(?:api-key|auth-token)[\"']?\s*[:=]\s*[\"']?([\w.~+/=-]{12,})",
        _LOOSE,
    ),
    _rule(
        "query",
        "key= token= sig= signature= secret=",
        rf"[?&](?:key|token|sig|signature|secret|{_NAMES})={_MIXED}"
        rf"(?!\[redacted)([^&\s\"'<>#)\]]{{8,}})",
        _LOOSE,
    ),
    _rule(
        "named value",
        _HINTS,
        rf"(?<![A-Za-z0-9]){_NAMES}[\"']?\s*[:=]\s*[\"']?{_MIXED}([^\s\"'&,;()\[\]{{}}<>]{{6,}})",
        _LOOSE,
    ),
    _rule(
        "quoted value",
        _HINTS,
        rf"[\"']{_NAMES}\\?[\"']\s*:\s*\\?[\"']([^\s\"'\\\[]{{4,}})",
        _LOOSE,
    ),
    _rule("password in an address", "://", r"://[^\s/:@\"']{1,64}:([^\s/@\"'\[]{3,})@"),
    _rule(
        "private key",
        "private key-----",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----([\s\S]+?)(?:-----END|\Z)",
    ),
)
"""E-mail addresses are none of them: in a document they are evidence of who wrote it."""

TRACES = tuple(
    "_ = k- t- :// aiza akia apikey api-key asia basic bearer eyj key----- passphrase passw private "
    "pypi- secret token xox ya29.".split()
)
"""Every hint holds one of these: a text that has none is clean, and few searches show it."""

_BOUNDS = " \n\t\"'"
"""No secret that a rule finds has one of these in it."""

_SECRET_KEY = re.compile(rf"{_NAMES}|authorization|token", _LOOSE)


class Redactor:
    """Takes secrets out of texts and JSON values.

    Args:
        secrets: Values to look for as they are, such as the keys in use; also found when they
            are escaped for an address or for JSON, or in base64.

    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {secret for secret in secrets if len(secret) >= _SHORTEST}
        forms = {form for secret in known for form in _forms(secret)}
        self._exact = sorted(forms, key=lambda form: (-len(form), form))
        self.replaced = 0
        """How many secrets were taken out so far."""

    def text(self, text: str) -> str:
        """Return *text* without its secrets; what is clean comes back as it was."""
        text = self._without_known(text)
        if len(text) < _LEAST:
            return text
        lower = text.lower()
        if not any(trace in lower for trace in TRACES):
            return text
        for rule in RULES:
            for hint in rule.hints:
                if hint in lower:
                    text = rule.pattern.sub(self._masked, text)
                    break
        return text

    def beginning(self, text: str) -> str:
        """Return a text that breaks off anywhere as `text` does, less an end that may begin a secret."""
        text = self._without_known(text)
        end = 1 + max(map(text.rfind, _BOUNDS))
        for form in self._exact:
            if any(bound in form for bound in _BOUNDS):
                most = min(len(form) - 1, len(text))
                begun = (n for n in range(most, 0, -1) if text.endswith(form[:n]))
                end = min(end, len(text) - next(begun, 0))
        return self.text(text[:end])

    def json(self, value: JsonValue) -> JsonValue:
        """Return a JSON value without its secrets, be they in texts, in keys or under a name."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(name): self._named(name, item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return cast(JsonValue, [self.json(item) for item in value])
        return value

    def _without_known(self, text: str) -> str:
        for form in self._exact:
            if form in text:
                self.replaced += text.count(form)
                text = text.replace(form, MARK)
        return text

    def _named(self, name: str, value: JsonValue) -> JsonValue:
        bare = isinstance(value, str) and _SECRET_KEY.fullmatch(name) is not None
        if bare and re.fullmatch(r"[^\s\[]{4,}", cast(str, value)):
            self.replaced += 1
            return MARK
        return self.json(value)

    def _masked(self, found: re.Match[str]) -> str:
        self.replaced += 1
        start, end = found.span(found.re.groups)
        whole, offset = found[0], found.start()
        return f"{whole[: start - offset]}{MARK}{whole[end - offset :]}"


def _forms(secret: str) -> Iterator[str]:
    """Yield the ways in which a secret may be written."""
    yield secret
    yield quote(secret, safe="")
    yield quote_plus(secret)
    yield dumps(secret)[1:-1]
    for shift in range(3):
        coded = _in_base64(secret.encode(), shift)
        yield coded
        yield coded.replace("+", "-").replace("/", "_")


def _in_base64(secret: bytes, shift: int) -> str:
    """Write the letters that *secret* alone decides, *shift* bytes into a group of three."""
    coded = b64encode(b"\0" * shift + secret).decode()
    decided = (shift + len(secret)) * 8 // 6
    return coded[-(-shift * 8 // 6) : decided]

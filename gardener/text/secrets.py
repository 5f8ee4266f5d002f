"""Credentials in text: where they stand and of what kind, never what they are. Pure.

Prefixes are those the vendors document for their own tokens. A value behind a word such as `password:` counts only
where it looks drawn at random; placeholders, examples, hashes, ULIDs, variables and calls are left alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_T = r"[A-Za-z0-9_-]"
_VENDORS = {
    "aws-access-key": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    "github-token": r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{22,255}\b",
    "gitlab-token": rf"\bgl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-{_T}{{20,}}",
    "slack-token": rf"\bxox[abeoprs](?:\.xox[bp])?-{_T}{{10,}}|\bxapp-\d-{_T}{{20,}}",
    "slack-webhook": r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/]{24,}",
    "discord-webhook": rf"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d{{10,}}/{_T}{{30,}}",
    "discord-token": rf"\b[MNO]{_T}{{23,25}}\.{_T}{{6}}\.{_T}{{27,}}",
    "stripe-key": r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}\b|\bwhsec_[A-Za-z0-9]{24,}",
    "anthropic-key": rf"\bsk-ant-{_T}{{20,}}",
    "openai-key": rf"\bsk-(?!ant-)(?:(?:proj|svcacct|admin|None)-)?(?=[A-Za-z_-]*\d){_T}{{32,}}",
    "google-api-key": rf"\bAIza{_T}{{35}}(?!{_T})",
    "google-oauth": rf"\bGOCSPX-{_T}{{28}}|\bya29\.{_T}{{20,}}",
    "npm-token": r"\bnpm_[A-Za-z0-9]{36}\b",
    "pypi-token": rf"\bpypi-AgE{_T}{{50,}}",
    "huggingface-token": r"\bhf_[A-Za-z0-9]{30,}\b",
    "sendgrid-key": rf"\bSG\.{_T}{{20,24}}\.{_T}{{39,50}}",
    "mailgun-key": r"\bkey-[0-9a-f]{32}\b",
    "twilio-key": r"\bSK[0-9a-f]{32}\b",
    "telegram-token": rf"\b\d{{8,10}}:AA{_T}{{33}}\b",
    "digitalocean-token": r"\bdo[opr]_v1_[0-9a-f]{64}\b",
    "vault-token": rf"\bhv[sbr]\.{_T}{{24,}}",
    "shopify-token": r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b",
    "databricks-token": r"\bdapi[0-9a-f]{32}\b",
    "linear-key": r"\blin_api_[A-Za-z0-9]{32,}\b",
    "notion-token": r"\bntn_[A-Za-z0-9]{40,}\b|\bsecret_[A-Za-z0-9]{43}\b",
    "postman-key": r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b",
    "newrelic-key": r"\bNR(?:AK|II|JS)-[A-Za-z0-9]{20,}\b",
    "grafana-token": r"\bgl(?:c|sa)_[A-Za-z0-9_+/=]{32,}",
    "sentry-token": r"\bsntry[su]_[A-Za-z0-9_+/=]{40,}",
    "supabase-token": r"\bsbp_[0-9a-f]{40}\b",
    "planetscale-token": rf"\bpscale_(?:tkn|pw|oauth)_{_T}{{32,}}",
    "doppler-token": r"\bdp\.(?:pt|st|ct|sa)\.[A-Za-z0-9.]{40,}",
    "atlassian-token": rf"\bATATT3{_T}{{50,}}",
    "groq-key": r"\bgsk_[A-Za-z0-9]{40,}\b",
    "replicate-token": r"\br8_[A-Za-z0-9]{37}\b",
    "age-key": r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b",
    "azure-key": r"\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,}={0,2}",
    "jwt": rf"\beyJ{_T}{{10,}}\.eyJ{_T}{{10,}}\.{_T}{{10,}}",
}
_KINDS = tuple(_VENDORS)
_HINT = re.compile(
    r"AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox|xapp-|hooks\.slack|/api/webhooks|[MNO][\w-]{23,25}\."
    r"|[sr]k_|whsec_|sk-|AIza|GOCSPX|ya29|npm_|pypi-|hf_|SG\.|key-|SK[0-9a-f]|:AA|do[opr]_v1|hv[sbr]\.|shp|dapi|lin_api"
    r"|ntn_|secret_|PMAK|NR[AIJ]|gl(?:c|sa)_|sntry|sbp_|pscale|dp\.|ATATT|gsk_|r8_|AGE-SEC|AccessKey=|AccountKey=|eyJ"
)
_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"`<>]{0,80}:([^\s/@'\"`<>]{3,200})@[^\s'\"`<>]+", re.IGNORECASE)
_NAMED = re.compile(
    r"(?:\b|_)(pass(?:word|wd|phrase|code)?|pwd|secret(?:[_ -]?(?:access)?[_ -]?key)?|(?:auth|access|refresh|bearer|api"
    r"|session|bot|deploy|personal[_ -]access)?[_ -]?token|(?:api|access|account|private|signing|encryption|master"
    r"|client)[_ -]?(?:key|secret)|credentials?)\b[\"'`*]{0,3}\s{0,3}(?::|=>?|\bis\b)\s{0,3}[\"'`*]{0,3}"
    r"([^\s\"'`,;<>(){}\[\]|]{8,200})",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"\bauthorization[\"'`]?\s*:\s*[\"'`]?(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE
)
_NAMED_HINT = re.compile(r"pass|pwd|secret|token|key|credential", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"example|placeholder|changeme|change[-_]me|redacted|dummy|sample|your[-_]?|my[-_]|\.\.\.|…|\*\*\*|xxx|<|>|\$|%|\{"
    r"|os\.environ|process\.env|getenv|^test|^none$|^null$|^true$|^false$|foobar|deadbeef|1234567890|abcdef",
    re.IGNORECASE,
)
_STOCK = frozenset({"pass", "password", "passwd", "secret", "token", "postgres", "root", "admin"})
_KNOWN_SHAPE = re.compile(
    r"[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[\w./-]+\.[a-z]{1,5}|(?:[/~.]{0,2}[\w.-]+/)+[\w.-]*"
    r"|[a-z]+(?:[-_.][a-z]+)*|[A-Z]+(?:[-_.][A-Z]+)*|\d[\d.,:/-]*|[a-zA-Z_]\w*\.[a-zA-Z_.]+",
)


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential on one line: `kind`, and character offsets into the text."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Every credential, in order and without overlaps; one that spans lines is one entry for each."""
    found = [secret for secret in _candidates(text) if secret.end > secret.start]
    found.sort(key=lambda secret: (secret.start, -secret.end))
    kept: list[Secret] = []
    for secret in found:
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
    return tuple(kept)


def mask(text: str) -> str:
    """The text with every credential replaced by its kind."""
    found = find_secrets(text)
    for secret in reversed(found):
        text = f"{text[: secret.start]}[redacted {secret.kind}]{text[secret.end :]}"
    return text


@cache
def _vendor() -> re.Pattern[str]:
    """All of them in one pattern; built when a text first hints at one, since that takes as long as a short command."""
    return re.compile("|".join(f"(?P<k{i}>{pattern})" for i, pattern in enumerate(_VENDORS.values())))


def _candidates(text: str) -> Iterator[Secret]:
    if _HINT.search(text):
        for match in _vendor().finditer(text):
            value = match.group()
            if not _is_placeholder(value):
                yield Secret(_KINDS[int((match.lastgroup or "k0")[1:])], *match.span())
    if "PRIVATE KEY" in text:
        for block in _BLOCK.finditer(text):
            yield from _lines(text, block.start(), block.end())
    if "://" in text:
        for match in _URL.finditer(text):
            if not _is_placeholder(match.group(1)) and match.group(1).lower() not in {
                "pass",
                "password",
                "secret",
                "token",
            }:
                yield Secret("password", *match.span(1))
    if _NAMED_HINT.search(text):
        for match in _NAMED.finditer(text):
            if _looks_random(match.group(2).lstrip("*").rstrip(".:!?*_~")):
                yield Secret("password" if match.group(1).lower().startswith("p") else "key", *match.span(2))
    for match in _HEADER.finditer(text) if "uthorization" in text else ():
        if not _is_placeholder(match.group(1)):
            yield Secret("authorization", *match.span(1))


def _lines(text: str, start: int, end: int) -> Iterator[Secret]:
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        lead = len(text[at:stop]) - len(text[at:stop].lstrip(" \t>"))
        yield Secret("private-key", at + lead, at + len(text[at:stop].rstrip()))
        at = stop + 1


def _is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.search(value) is not None or len(set(value)) < 6


def _looks_random(value: str) -> bool:
    """Whether a value behind a telling word is one: mixed characters, no known shape, and nearly random.

    Words of a language stay below 3 bits a character at these lengths; drawn ones lie above (Shannon 1951).
    """
    if len(value) < 8 or "://" in value or _is_placeholder(value) or _KNOWN_SHAPE.fullmatch(value):
        return False
    classes = sum(bool(re.search(c, value)) for c in (r"[a-z]", r"[A-Z]", r"\d", r"[^\w]"))
    if classes < 2 or not re.search(r"\d|[^\w.-]", value):
        return False
    counts = Counter(value)
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return bits >= min(3.0, math.log2(len(value)) * 0.85)

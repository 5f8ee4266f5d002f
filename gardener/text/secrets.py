"""Credentials in text: where they stand and of what kind, never what they are. Pure.

Prefixes are those the vendors document for their own tokens. A value behind a word such as `password:` counts only
where it looks drawn at random; placeholders, examples, hashes, ULIDs, variables and calls are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from gardener.text.drawn import SHORTEST, is_placeholder, is_sample_jwt
from gardener.text.named import named

_T = r"[A-Za-z0-9_-]"
_VENDORS = {
    "aws-access-key": ("AKIA ASIA ABIA ACCA", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    "github-token": (
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b|\bgithub_pat_[A-Za-z0-9_]{22,255}\b",
    ),
    "gitlab-token": (
        "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent-",
        rf"\bgl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-{_T}{{20,}}",
    ),
    "slack-token": ("xox xapp-", rf"\bxox[abeoprs](?:\.xox[bp])?-{_T}{{10,}}|\bxapp-\d-{_T}{{20,}}"),
    "slack-webhook": ("hooks.slack", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/]{24,}"),
    "discord-webhook": ("/api/webhooks", rf"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d{{10,}}/{_T}{{30,}}"),
    "discord-token": ("", rf"[MNO](?<!\w[MNO]){_T}{{23,25}}\.{_T}{{6}}\.{_T}{{27,}}"),
    "stripe-key": ("sk_ rk_ whsec_", r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}\b|\bwhsec_[A-Za-z0-9]{24,}"),
    "anthropic-key": ("sk-ant-", rf"\bsk-ant-{_T}{{20,}}"),
    "openai-key": ("sk-", rf"\bsk-(?!ant-)(?:(?:proj|svcacct|admin|None)-)?(?=[A-Za-z_-]*\d){_T}{{32,}}"),
    "google-api-key": ("AIza", rf"\bAIza{_T}{{35}}(?!{_T})"),
    "google-oauth": ("GOCSPX- ya29.", rf"\bGOCSPX-{_T}{{28}}|\bya29\.{_T}{{20,}}"),
    "npm-token": ("npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    "pypi-token": ("pypi-AgE", rf"\bpypi-AgE{_T}{{50,}}"),
    "huggingface-token": ("hf_", r"\bhf_[A-Za-z0-9]{30,}\b"),
    "sendgrid-key": ("SG.", rf"\bSG\.{_T}{{20,24}}\.{_T}{{39,50}}"),
    "mailgun-key": ("key-", r"\bkey-[0-9a-f]{32}\b"),
    "twilio-key": ("SK", r"\bSK[0-9a-f]{32}\b"),
    "telegram-token": (":AA", rf"\b\d{{8,10}}:AA{_T}{{33}}\b"),
    "digitalocean-token": ("_v1_", r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
    "vault-token": ("hvs. hvb. hvr.", rf"\bhv[sbr]\.{_T}{{24,}}"),
    "shopify-token": ("shp", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    "databricks-token": ("dapi", r"\bdapi[0-9a-f]{32}\b"),
    "linear-key": ("lin_api_", r"\blin_api_[A-Za-z0-9]{32,}\b"),
    "notion-token": ("ntn_ secret_", r"\bntn_[A-Za-z0-9]{40,}\b|\bsecret_[A-Za-z0-9]{43}\b"),
    "postman-key": ("PMAK-", r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b"),
    "newrelic-key": ("NRAK- NRII- NRJS-", r"\bNR(?:AK|II|JS)-[A-Za-z0-9]{20,}\b"),
    "grafana-token": ("glc_ glsa_", r"\bgl(?:c|sa)_[A-Za-z0-9_+/=]{32,}"),
    "sentry-token": ("sntry", r"\bsntry[su]_[A-Za-z0-9_+/=]{40,}"),
    "supabase-token": ("sbp_", r"\bsbp_[0-9a-f]{40}\b"),
    "planetscale-token": ("pscale_", rf"\bpscale_(?:tkn|pw|oauth)_{_T}{{32,}}"),
    "doppler-token": ("dp.", r"\bdp\.(?:pt|st|ct|sa)\.[A-Za-z0-9.]{40,}"),
    "atlassian-token": ("ATATT3", rf"\bATATT3{_T}{{50,}}"),
    "groq-key": ("gsk_", r"\bgsk_[A-Za-z0-9]{40,}\b"),
    "replicate-token": ("r8_", r"\br8_[A-Za-z0-9]{37}\b"),
    "age-key": ("AGE-SECRET-KEY-1", r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b"),
    "azure-key": ("AccountKey= SharedAccessKey=", r"\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,}={0,2}"),
    "jwt": ("eyJ", rf"\beyJ{_T}{{10,}}\.eyJ{_T}{{10,}}\.{_T}{{10,}}"),
}
"""Kind → what a text with one holds in any case (one of these, looked for first: it is far quicker), its pattern."""
_HINTS = [(hint, kind) for kind, (hints, _) in _VENDORS.items() for hint in hints.split(" ")]
_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_URL = re.compile(r"(?<=[a-z0-9+.-])://[^\s:/@'\"`<>]{0,80}:([^\s/@'\"`<>]{3,200})@[^\s'\"`<>]+", re.IGNORECASE)
_HEADER = re.compile(
    r"\bauthorization[\"'`]?\s*:\s*[\"'`]?(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential on one line: `kind`, and character offsets into the text."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Every credential, in order and without overlaps; one that spans lines is one entry for each.

    A value that is one in one place is one in every place, whatever stands around it there.
    """
    found = [secret for secret in _candidates(text) if secret.end > secret.start]
    values = {text[secret.start : secret.end].rstrip(".,;:!?"): secret.kind for secret in found}
    for value, kind in values.items():
        if len(value) >= SHORTEST:
            found += (Secret(kind, again.start(), again.end()) for again in re.finditer(re.escape(value), text))
    found.sort(key=lambda secret: (secret.start, -secret.end))
    kept: list[Secret] = []
    for secret in found:
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
    return tuple(kept)


def values(text: str) -> dict[str, str]:
    """Credential → kind: a part of the text alone may not show what it belongs to."""
    return {text[secret.start : secret.end]: secret.kind for secret in find_secrets(text)}


Masker: TypeAlias = Callable[[str], str]


def masker(*files: bytes) -> Masker:
    """Masks, in any part of these files, what is a credential anywhere in one of them, beside what is one by itself."""
    found: dict[str, str] = {}
    for data in files:
        found |= values(data.decode("utf-8", "surrogateescape"))
    telling = {value: kind for value, kind in found.items() if len(value) >= SHORTEST or kind == "private-key"}
    longest_first = sorted(telling.items(), key=lambda one: -len(one[0]))

    def masked(part: str) -> str:
        for value, kind in longest_first:
            part = part.replace(value, f"[redacted {kind}]")
        return mask(part)

    return masked


def mask(text: str) -> str:
    """The text with every credential replaced by its kind."""
    found = find_secrets(text)
    for secret in reversed(found):
        text = f"{text[: secret.start]}[redacted {secret.kind}]{text[secret.end :]}"
    return text


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """Built when a text first hints at one: all of them take as long as a short command."""
    return re.compile(_VENDORS[kind][1])


def _candidates(text: str) -> Iterator[Secret]:
    for kind in dict.fromkeys(kind for hint, kind in _HINTS if hint in text):
        for match in _pattern(kind).finditer(text):
            if not is_placeholder(match.group()) and not (kind == "jwt" and is_sample_jwt(match.group())):
                yield Secret(kind, *match.span())
    if "PRIVATE KEY" in text:
        for block in _BLOCK.finditer(text):
            yield from _lines(text, block.start(), block.end())
    if "://" in text:
        for match in _URL.finditer(text):
            if not is_placeholder(match.group(1)) and match.group(1).lower() not in {
                "pass",
                "password",
                "secret",
                "token",
            }:
                yield Secret("password", *match.span(1))
    yield from (Secret(*one) for one in named(text))
    for match in _HEADER.finditer(text) if "uthorization" in text else ():
        if not is_placeholder(match.group(1)):
            yield Secret("authorization", *match.span(1))


def _lines(text: str, start: int, end: int) -> Iterator[Secret]:
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        lead = len(text[at:stop]) - len(text[at:stop].lstrip(" \t>"))
        yield Secret("private-key", at + lead, at + len(text[at:stop].rstrip()))
        at = stop + 1

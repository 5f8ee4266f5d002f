"""Word lists of English: what negates, what limits, what is the opposite of what, what is a value of one sort."""

from __future__ import annotations

from gardener.text.similarity.words import is_content, stem

NEGATORS = frozenset("not no never without none neither nor nobody nothing hardly cannot \u2717".split())
DENIALS = frozenset({"not", "never", "no"})
"""Negators that may stand for one another: "never push" and "do not push" are one rule."""
SCOPES = frozenset(stem(word) for word in "only unless except until excluding solely temporarily sometimes".split())
LIMITS = NEGATORS | SCOPES
_OPPOSITES = """
enable/disable enabled/disabled always/never always/sometimes never/sometimes before/after on/off allow/deny
allow/forbid allow/block allow/forbidden allow/banned allow/prohibited permit/forbid permit/forbidden
required/forbidden true/false yes/no required/optional mandatory/optional include/exclude add/remove start/stop
open/closed open/close public/private sync/async synchronous/asynchronous up/down min/max minimum/maximum
increase/decrease more/less more/fewer above/below first/last left/right read/write push/pull local/remote
internal/external success/failure succeed/fail pass/fail accept/reject safe/unsafe with/without in/out
manual/automatic manually/automatically inside/outside high/low higher/lower fast/slow faster/slower static/dynamic
same/different valid/invalid all/none all/some any/none every/no must/may must/should must/can should/may
should/shall can/must on/under old/new older/newer client/server frontend/backend upstream/downstream prefer/avoid
use/avoid keep/delete keep/remove keep/drop good/bad present/absent early/late earlier/later single/multiple
shared/separate unique/duplicate active/inactive visible/hidden show/hide lock/unlock mutable/immutable
serial/parallel blocking/nonblocking strict/lenient encrypted/plain online/offline lossy/lossless positive/negative
signed/unsigned even/odd full/empty horizontal/vertical import/export input/output request/response
producer/consumer merge/rebase rise/fall win/lose buy/sell asc/desc ascending/descending ahead/behind over/under
prepend/append source/target primary/secondary finished/unfinished done/pending working/broken works/breaks
\u2713/\u2717 \u2713/\u2610 </> <=/>= ==/!= to/from approved/rejected stable/unstable master/main oldest/newest
"""
OPPOSITES = frozenset(
    frozenset(stem(word) if is_content(word) else word for word in pair.split("/")) for pair in _OPPOSITES.split()
)
PREFIXES = ("un", "in", "im", "ir", "dis", "non", "mis", "de")
_SORTS = """
colour: red green blue yellow orange purple violet cyan magenta pink brown black white grey gray teal indigo turquoise
beige navy maroon lime amber crimson
month: january february march april may june july august september october november december jan feb mar apr jun jul aug
sep sept oct nov dec
weekday: monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
environment: production prod staging development dev preview sandbox localhost
ordinal: second third fourth fifth sixth seventh eighth ninth tenth
rhythm: hourly daily weekly nightly monthly quarterly yearly annually weekday weekend
"""


def _sorted() -> dict[str, str]:
    found, sort = {}, ""
    for word in _SORTS.split():
        if word.endswith(":"):
            sort = word[:-1]
        else:
            found[stem(word)] = sort
    return found


CLASSES = _sorted()
"""Stem -> the sort of value it is: words of one sort exclude each other."""

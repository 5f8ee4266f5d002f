"""The loop of a review: show, take a key, decide, go on. Nothing is kept that is not on disk already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from rich.text import Text

from gardener.config.store import Store
from gardener.errors import GardenerError
from gardener.model.edit import Edit, Supersede
from gardener.model.finding import RISKS
from gardener.model.proposal import Base
from gardener.proposals.answers import Answer, members
from gardener.proposals.inbox import Filed, read_inbox
from gardener.review.decide import Decider, replanned
from gardener.review.outlook import outlook
from gardener.review.replan import folded, swapped
from gardener.review.session.card import MODES, Card
from gardener.review.session.sitting import Step, account, reopened, take_back
from gardener.review.session.terminal import Terminal
from gardener.storage.cache import open_cache
from gardener.text.frontmatter import moment

REASONS = {"1": "not true", "2": "still needed", "3": "not the same", "4": "not worth it", "0": ""}
SPANS = {"1": 1, "2": 7, "3": 14, "4": 30, "5": 90}
HELP = """y  apply          n  reject (then a digit for the reason)
1-9  tick a memory of a group, or pick an answer (0: a larger number)
s  skip           z  snooze (then a digit for how long)
H  hide for ever  u  undo the last decision
Y  N  apply or reject the rest of this pass, after typing how many
x  keep another memory instead (then its letter)
f  fold what only the retired ones say into the kept one
e  edit the proposal     o  open the memory     d  change the diff
j  k  next, previous     /  search     space, arrows  scroll
?  this help      q  quit; Enter and Escape do nothing"""
FOOTER = "y apply  n reject  s skip  z snooze  H hide  u undo  d diff  ? help  q quit"


@dataclass
class Session:
    """One sitting. `clock` gives the time of each decision."""

    store: Store
    by: str
    clock: Callable[[], datetime]
    terminal: Terminal
    pass_name: str | None = None
    steps: list[Step] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    skipped: set[str] = field(default_factory=set)
    at: int = 0
    top: int = 0
    mode: int = 0
    chosen: dict[str, frozenset[str]] = field(default_factory=dict)
    choice: dict[str, str] = field(default_factory=dict)
    plans: dict[str, tuple[Edit, ...]] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)
    """The code of each plan as it was last read, before it is shown."""
    bases: dict[str, tuple[Base, ...] | None] = field(default_factory=dict)
    """The bytes that were shown, where a kept memory had changed."""
    was: dict[str, Filed] = field(default_factory=dict)
    """What was decided and taken back, by the id it goes on as: it keeps its place and its score."""
    notice: str = ""

    def run(self) -> None:
        """Until nothing is left, or `q`, or the line drops."""
        with self.terminal.keys():
            try:
                while (queue := self.queue()) and self._step(queue):
                    pass
            except (KeyboardInterrupt, EOFError):
                pass
        self.farewell()

    def queue(self) -> list[Filed]:
        """What is still to be decided, in order: safe first, then confidence times effect."""
        now = self.clock()
        with open_cache(self.store.root, create=False) as cache:
            self.scores = cache.fact("scores", {})
        pending = read_inbox(self.store.root, self.store.layout.proposals).pending
        self.seen = {one.id: one.document.plan for one in pending}
        awake = [one for one in pending if not ((until := moment(one.document.proposal.until)) and until > now)]
        wanted = [one for one in awake if self.pass_name in {None, one.document.proposal.pass_name}]
        return sorted(wanted, key=self._rank)

    def _rank(self, one: Filed) -> tuple[int, float, str]:
        one = self.was.get(one.id, one)
        proposal = one.document.proposal
        score = self.scores.get(one.id, [0.0])[0]
        return RISKS.index(proposal.risk), -float(score) * max(1, len(proposal.members)), one.path

    def _step(self, queue: list[Filed]) -> bool:
        left = [one for one in queue if one.id not in self.skipped]
        if not left:
            return False
        self.at = min(self.at, len(queue) - 1)
        if queue[self.at].id in self.skipped:
            self.at = queue.index(left[0])
        filed = queue[self.at]
        if filed.id in self.plans:
            filed = replanned(filed, self.plans[filed.id])
        card = self.card(filed, queue)
        width, _ = self.terminal.size
        last = self.terminal.show(card.lines(width), _footer(filed), self.top)
        self.notice = ""
        return self._on(self.terminal.key(), filed, queue, last)

    def card(self, filed: Filed, queue: list[Filed]) -> Card:
        """What is shown of a proposal, with the marks made so far."""
        known = self.scores.get(self.was.get(filed.id, filed).id)
        notices = [self.notice] if self.notice else []
        if filed.document.edited:
            notices.append("Its plan was edited by hand: what is shown below is what would be done.")
        replanned = filed.id in self.plans
        ahead = outlook(self.store, filed, self._answer(filed), self.clock(), replanned=replanned)
        self.bases[filed.id] = ahead.bases
        notices += [ahead.trouble] if ahead.trouble else []
        return Card(
            filed,
            (self.at + 1, len(queue)),
            float(known[0]) if known else None,
            tuple((name, value) for name, value in known[1]) if known else (),
            self._chosen(filed),
            self.choice.get(filed.id, ""),
            ahead,
            tuple(notices),
            MODES[self.mode],
        )

    def _on(self, key: str, filed: Filed, queue: list[Filed], last: int) -> bool:
        if key == "q":
            return False
        if key.isdecimal():
            typed = key if key != "0" else self.terminal.line("Which number?")
            self._toggle(filed, int(typed) if typed.isdecimal() else 0)
            self.top = 0
        elif key in {" ", "down", "page down", "up", "page up"}:
            step = self.terminal.size[1] - 4 if key in {" ", "page down", "page up"} else 1
            self.top = max(0, min(last, self.top + (step if key in {" ", "down", "page down"} else -step)))
        elif key in _ACTIONS:
            _ACTIONS[key](self, filed, queue)
            if key not in "d?":
                self.top = 0
        return True

    def _chosen(self, filed: Filed) -> frozenset[str]:
        return self.chosen.get(filed.id, frozenset(members(filed.document.proposal)))

    def _answer(self, filed: Filed) -> Answer:
        if filed.document.proposal.choices:
            return Answer("choose", choice=self.choice.get(filed.id, ""))
        runs = members(filed.document.proposal)
        return Answer("accept", tuple(name for name in runs if name in self._chosen(filed)))

    def _toggle(self, filed: Filed, number: int) -> None:
        proposal = filed.document.proposal
        if proposal.choices:
            if 0 < number <= len(proposal.choices):
                self.choice[filed.id] = proposal.choices[number - 1].letter
            return
        runs = list(members(proposal))
        if len(runs) > 1 and 0 < number <= len(runs):
            self.chosen[filed.id] = self._chosen(filed) ^ {runs[number - 1]}

    def apply(self, filed: Filed, queue: list[Filed]) -> None:
        answer = self._answer(filed)
        if answer.word == "choose" and not answer.choice:
            self.notice = "Pick an answer first, by its digit."
        elif answer.word == "accept" and not answer.members:
            self.notice = "Nothing is ticked; n rejects."
        else:
            self._decide(filed, answer)

    def reject(self, filed: Filed, queue: list[Filed]) -> None:
        reason = self._menu({key: said or "no reason" for key, said in REASONS.items()})
        if reason is not None:
            self._decide(filed, Answer("reject"), REASONS[reason])

    def hide(self, filed: Filed, queue: list[Filed]) -> None:
        self._decide(filed, Answer("hide"))

    def snooze(self, filed: Filed, queue: list[Filed]) -> None:
        span = self._menu({key: f"= {days} day{'s' if days > 1 else ''}" for key, days in SPANS.items()})
        if span is not None:
            self._decide(filed, Answer("snooze", days=SPANS[span]))

    def skip(self, filed: Filed, queue: list[Filed]) -> None:
        self.skipped.add(filed.id)
        self.at = min(self.at + 1, len(queue) - 1)

    def apply_rest(self, filed: Filed, queue: list[Filed]) -> None:
        self._rest(filed, queue, "apply", Answer("accept"))

    def reject_rest(self, filed: Filed, queue: list[Filed]) -> None:
        self._rest(filed, queue, "reject", Answer("reject"))

    def swap(self, filed: Filed, queue: list[Filed]) -> None:
        if not all(isinstance(edit, Supersede) for edit in filed.document.proposal.edits or (None,)):
            self.notice = "Only a group of duplicates has one to swap."
            return
        letter = self.terminal.line("Keep which one? Its letter:").upper()
        if letter:
            self._replan(filed, lambda: swapped(self.store, filed, letter))

    def fold(self, filed: Filed, queue: list[Filed]) -> None:
        if filed.id in self.plans:
            del self.plans[filed.id]
            self.notice = "Back to the plan as it was proposed."
            return
        self._replan(filed, lambda: folded(self.store, filed))

    def edit(self, filed: Filed, queue: list[Filed]) -> None:
        self.plans.pop(filed.id, None)
        self.notice = self.terminal.edit(str(Path(self.store.path) / filed.path))

    def open(self, filed: Filed, queue: list[Filed]) -> None:
        paths = filed.document.proposal.subjects
        which = self._menu({str(i): path for i, path in enumerate(paths[:9], 1)}) if len(paths) > 1 else "1"
        if which is not None:
            self.notice = self.terminal.edit(str(Path(self.store.path) / paths[int(which) - 1]))

    def diff(self, filed: Filed, queue: list[Filed]) -> None:
        self.mode = (self.mode + 1) % len(MODES)

    def forward(self, filed: Filed, queue: list[Filed]) -> None:
        self.skipped.clear()
        self.at = min(self.at + 1, len(queue) - 1)

    def back(self, filed: Filed, queue: list[Filed]) -> None:
        self.skipped.clear()
        self.at = max(0, self.at - 1)

    def search(self, filed: Filed, queue: list[Filed]) -> None:
        wanted = self.terminal.line("Search:").casefold()
        order = [*queue[self.at + 1 :], *queue[: self.at + 1]]
        found = next((one for one in order if wanted in one.data.decode("utf-8", "replace").casefold()), None)
        if not wanted or found is None:
            self.notice = f"Nothing found for {wanted!r}." if wanted else ""
            return
        self.skipped.discard(found.id)
        self.at = queue.index(found)

    def take_back(self, filed: Filed, queue: list[Filed]) -> None:
        if not self.steps:
            self.notice = "Nothing was decided in this review yet."
            return
        step = self.steps[-1]
        try:
            take_back(self._decider(), step)
        except (GardenerError, OSError) as error:
            self.notice = str(error)
            return
        self.steps.pop()
        self.notice = f"Undone: {step.done.summary}"
        again = reopened(read_inbox(self.store.root, self.store.layout.proposals), step)
        if again is None:
            self.notice += " (what it spoke of is gone, so it is not asked again)"
            return
        self.was[again.id] = self.was.get(step.filed.id, step.filed)
        self.skipped.discard(again.id)
        self.at = next((i for i, one in enumerate(self.queue()) if one.id == again.id), self.at)

    def help(self, filed: Filed, queue: list[Filed]) -> None:
        self.terminal.show([Text(line) for line in HELP.split("\n")], "any key goes back", 0)
        self.terminal.pick()

    def _decider(self) -> Decider:
        return Decider(self.store, self.by, self.clock())

    def _decide(self, filed: Filed, answer: Answer, reason: str = "") -> bool:
        """On disk, or named as refused, before anything else is shown."""
        try:
            plan = self.plans.get(filed.id) if answer.word == "accept" else None
            bases = self.bases.get(filed.id) if answer.word in {"accept", "choose"} else None
            seen = self.seen.get(filed.id)
            before = self._data(filed.id) if answer.word == "snooze" else b""
            done = self._decider().answer(
                filed.id, answer, edited=True, reason=reason, plan=plan, seen=seen, bases=bases
            )
            file = (before, self._data(filed.id)) if answer.word == "snooze" else None
            self.steps.append(Step(filed, done, file))
            return True
        except (GardenerError, OSError) as error:
            self.notice = str(error)
            self.refused.append(f"{filed.id}: {error}")
            self.skipped.add(filed.id)
            return False

    def _data(self, identity: str) -> bytes:
        """What the proposal's file holds now."""
        filed = read_inbox(self.store.root, self.store.layout.proposals).by_id.get(identity)
        return filed.data if filed else b""

    def _menu(self, offers: dict[str, str]) -> str | None:
        """One key of an offer; any other goes back."""
        self.terminal.say("  ".join(f"{key} {said}" for key, said in offers.items()) + "  (any other key: back)")
        key = self.terminal.pick()
        return key if key in offers else None

    def _rest(self, filed: Filed, queue: list[Filed], word: str, answer: Answer) -> None:
        name = filed.document.proposal.pass_name
        rest = [
            one
            for one in queue
            if one.document.proposal.pass_name == name
            and one.document.proposal.risk != "lossy"
            and not one.document.proposal.choices
            and not one.document.edited
        ]
        if not rest:
            self.notice = "Choices and redactions are answered one by one."
            return
        typed = self.terminal.line(f"Type {len(rest)} to {word} {len(rest)} of {name}:")
        if typed != str(len(rest)):
            self.notice = "Nothing was done."
            return
        for one in rest:
            self._decide(one, answer)

    def _replan(self, filed: Filed, make: Callable[[], tuple[Edit, ...]]) -> None:
        try:
            self.plans[filed.id] = make()
            self.chosen.pop(filed.id, None)
            self.notice = "The plan is changed as shown below; y applies it."
        except GardenerError as error:
            self.notice = str(error)

    def farewell(self) -> None:
        """The account of the sitting, left on the screen."""
        left = len(self.queue())
        self.terminal.say()
        for line in account(self.store, self.steps, len(self.skipped), self.refused, left):
            self.terminal.say(line)


_ACTIONS: dict[str, Callable[[Session, Filed, list[Filed]], None]] = {
    "y": Session.apply,
    "n": Session.reject,
    "s": Session.skip,
    "z": Session.snooze,
    "H": Session.hide,
    "Y": Session.apply_rest,
    "N": Session.reject_rest,
    "x": Session.swap,
    "f": Session.fold,
    "e": Session.edit,
    "o": Session.open,
    "d": Session.diff,
    "j": Session.forward,
    "k": Session.back,
    "/": Session.search,
    "u": Session.take_back,
    "?": Session.help,
}


def _footer(filed: Filed) -> str:
    """The keys, the digits first where the proposal has something to pick or to tick."""
    proposal = filed.document.proposal
    offered = len(proposal.choices or members(proposal))
    if offered < 2 and not proposal.choices:
        return FOOTER
    digits = f"1-{min(offered, 9)}{' (0: more)' if offered > 9 else ''}"
    shorter = FOOTER.replace("d diff  ", "")  # in 80 columns there is room for one of the two
    return f"{digits} {'pick' if proposal.choices else 'tick'}  {shorter}"


def commands_instead(queue: list[Filed]) -> list[str]:
    """Off a terminal: the exact commands that would decide each proposal."""
    lines = []
    for filed in queue:
        one = filed.document.proposal
        lines.append(f"# {one.summary} ({one.pass_name}, {one.risk})")
        if one.choices:
            lines += [f"gardener apply {filed.id} --choose {c.letter}  # {c.says}" for c in one.choices]
        else:
            lines.append(f"gardener apply {filed.id}")
        lines.append(f"gardener reject {filed.id}")
    return lines

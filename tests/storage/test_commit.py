from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gardener.errors import BusyError, PartialError, StaleError, UsageError
from gardener.model.operation import FileChange, Operation
from gardener.storage import beneath, journal, rename
from gardener.storage import commit as committing
from gardener.storage.beneath import Root
from gardener.storage.commit import Outcome, commit, conflicts, displaced, likeness, putback, record, recover, returned
from gardener.storage.commit.target import Target

A, B, NEW, GONE = "memory/p/a.md", "memory/b.md", "proposals/applied/x.md", "proposals/pending/x.md"
BEFORE = {A: b"old a\r\n", B: b"old b", GONE: b"pending"}
CHANGES = (
    FileChange(A, BEFORE[A], b"new a\r\n"),
    FileChange(B, BEFORE[B], b"new b"),
    FileChange(NEW, None, b"applied"),
    FileChange(GONE, BEFORE[GONE], None),
)
AFTER = {A: b"new a\r\n", B: b"new b", NEW: b"applied"}
APPLY = Operation("apply x", CHANGES)
THEIRS = b"theirs, longer than ours"


@pytest.fixture(autouse=True)
def before(store: Path) -> None:
    for path, data in BEFORE.items():
        (store / path).write_bytes(data)


def tree(store: Path) -> dict[str, bytes]:
    files = (path for path in store.rglob("*") if path.is_file())
    return {
        name: path.read_bytes() for path in files if not (name := str(path.relative_to(store))).startswith(".gardener/")
    }


def private(store: Path, folder: str) -> list[str]:
    return sorted(path.name for path in (store / ".gardener" / folder).glob("*"))


def replace(store: Path, path: str, data: bytes | None) -> None:
    """As another program would: anew and renamed; None removes."""
    if data is None:
        (store / path).unlink()
        return
    (store / path).parent.mkdir(exist_ok=True)
    (store / "theirs").write_bytes(data)
    (store / "theirs").rename(store / path)


def between(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, does: Callable[[], None], at: int = 1) -> None:
    """Let another program do something just before the `at`-th call of a step."""
    real = getattr(owner, name)
    count = 0

    def step(*args: object, **kwargs: object) -> object:
        nonlocal count
        count += 1
        if count == at:
            does()
        return real(*args, **kwargs)

    monkeypatch.setattr(owner, name, step)


class TestDone:
    @pytest.mark.parametrize("operation", [Operation("nothing", ()), Operation("same", (FileChange(A, b"x", b"x"),))])
    def test_nothing_to_do_writes_nothing(self, root: Root, store: Path, operation: Operation) -> None:
        assert commit(root, operation) == Outcome("finished", operation.name)
        assert not (store / ".gardener").exists()

    @pytest.mark.usefixtures("renames", "kernel")
    def test_all_of_it(self, root: Root, store: Path) -> None:
        assert commit(root, APPLY) == Outcome("finished", "apply x")
        assert tree(store) == AFTER
        assert not journal.unfinished(root)
        assert private(store, "journal") == []
        assert recover(root) == Outcome("nothing")
        assert tree(store) == AFTER

    def test_names_that_are_not_text(self, root: Root, store: Path) -> None:
        path = "memory/\udcff\u00e9.md"
        (store / path).write_bytes(b"old")
        leave(root, store, journal.INTENT, Operation(f"apply {path}", (FileChange(path, b"old", b"new"),)))
        assert recover(root).ended == "finished"
        assert (store / path).read_bytes() == b"new"
        [kept] = (store / ".gardener/displaced").iterdir()
        kept.write_bytes(b"late")
        [told] = recover(root).kept
        assert told.path == path
        assert (store / told.at).read_bytes() == b"late"

    def test_folders_come_to_be(self, root: Root, store: Path) -> None:
        commit(root, Operation("move", (FileChange("notes/p/q/a.md", None, b"a"), FileChange(A, BEFORE[A], None))))
        assert (store / "notes/p/q/a.md").read_bytes() == b"a"

    def test_what_a_file_has_besides_its_bytes_stays(self, root: Root, store: Path) -> None:
        (store / A).chmod(0o604)
        try:
            os.setxattr(store / A, "user.colour", b"green")
        except OSError:
            pytest.skip("this file system has no user attributes")
        if os.geteuid() == 0:
            os.chown(store / A, 12345, 12345)
        owner = (store / A).stat().st_uid
        commit(root, APPLY)
        assert (store / A).stat().st_mode & 0o777 == 0o604
        assert (store / A).stat().st_uid == owner
        assert os.getxattr(store / A, "user.colour") == b"green"

    def test_the_other_name_of_a_hard_linked_memory_keeps_its_bytes(self, root: Root, store: Path) -> None:
        os.link(store / A, store.parent / "elsewhere")
        commit(root, APPLY)
        assert (store.parent / "elsewhere").read_bytes() == BEFORE[A]


class TestRefused:
    @pytest.mark.parametrize(
        ("path", "held"), [(A, THEIRS), (A, None), (B, b""), (NEW, b"there already"), (GONE, b"ticked"), (GONE, None)]
    )
    def test_a_file_that_moved_on(self, root: Root, store: Path, path: str, held: bytes | None) -> None:
        replace(store, path, held)
        found = tree(store)
        with pytest.raises(StaleError, match=path):
            commit(root, APPLY)
        assert tree(store) == found
        assert not (store / ".gardener").exists()

    def test_a_link_a_folder_or_a_fifo_in_its_place(self, root: Root, store: Path) -> None:
        for make in (lambda path: path.symlink_to("b.md"), Path.mkdir, os.mkfifo):
            (store / A).unlink(missing_ok=True)
            make(store / A)
            with pytest.raises(StaleError, match=A):
                commit(root, APPLY)
            (store / A).rmdir() if (store / A).is_dir() else (store / A).unlink()

    @pytest.mark.parametrize("path", ["../x", "/x", ".git/config", ".gardener/x", "", "a//b"])
    def test_a_path_no_operation_may_touch(self, root: Root, path: str) -> None:
        with pytest.raises(UsageError):
            commit(root, Operation("escape", (FileChange(path, None, b"x"),)))
        with pytest.raises(UsageError):
            commit(root, APPLY, proposals=path)

    def test_one_file_twice(self, root: Root) -> None:
        with pytest.raises(UsageError, match="twice"):
            commit(root, Operation("twice", (*CHANGES, FileChange(A, BEFORE[A], b"other"))))

    def test_an_earlier_one_is_unfinished(self, root: Root, store: Path) -> None:
        leave(root, store, journal.INTENT)
        with pytest.raises(BusyError, match="doctor --recover"):
            commit(root, APPLY)

    def test_a_file_that_stays_open_for_writing(self, root: Root, store: Path) -> None:
        with (store / B).open("ab"), pytest.raises(StaleError, match=f"{B} is open for writing"):
            commit(root, APPLY)
        assert tree(store) == BEFORE
        with (store / B).open("rb"):
            commit(root, APPLY)
        assert tree(store) == AFTER


class TestDisturbed:
    """Another program writes between two steps."""

    @pytest.mark.parametrize("at", [1, 2])
    @pytest.mark.parametrize("theirs", [THEIRS, None])
    def test_before_an_exchange(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, at: int, theirs: bytes | None
    ) -> None:
        path = (A, B)[at - 1]
        between(monkeypatch, rename, "exchange", lambda: replace(store, path, theirs), at)
        with pytest.raises(StaleError, match="nothing was changed"):
            commit(root, APPLY)
        expected = {**BEFORE, path: theirs}
        assert tree(store) == {name: data for name, data in expected.items() if data is not None}
        assert private(store, "journal") == []
        assert recover(root) == Outcome("nothing")

    def test_appending_before_an_exchange(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def append() -> None:
            with (store / B).open("ab") as file:
                file.write(b", appended")

        between(monkeypatch, Target, "prepare", append, 4)
        with pytest.raises(StaleError, match=B):
            commit(root, APPLY)
        assert tree(store) == {**BEFORE, B: b"old b, appended"}

    def test_the_new_file_appears(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        between(monkeypatch, Target, "prepare", lambda: replace(store, NEW, THEIRS), 1)
        with pytest.raises(StaleError, match=NEW):
            commit(root, APPLY)
        assert tree(store) == {**BEFORE, NEW: THEIRS}

    def test_the_new_file_appears_at_the_last_moment(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        between(monkeypatch, rename, "name_free", lambda: replace(store, NEW, THEIRS), 1)
        with pytest.raises(StaleError, match=NEW):
            commit(root, APPLY)
        assert tree(store) == {**BEFORE, NEW: THEIRS}

    @pytest.mark.parametrize("theirs", [b"ticked", None])
    def test_the_removed_file_changes_or_goes(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, theirs: bytes | None
    ) -> None:
        between(monkeypatch, rename, "name_free", lambda: replace(store, GONE, theirs), 2)
        with pytest.raises((StaleError, PartialError)):
            commit(root, APPLY)
        found = tree(store)
        assert found.pop(GONE, None) == (theirs or BEFORE[GONE])
        assert found == {path: data for path, data in BEFORE.items() if path != GONE}

    def test_ours_is_changed_before_it_can_be_put_back(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def both() -> None:
            replace(store, A, AFTER[A] + b"and theirs\n")
            replace(store, B, THEIRS)

        between(monkeypatch, rename, "exchange", both, 2)
        with pytest.raises(PartialError, match=f"could not be put back: {A}") as caught:
            commit(root, APPLY)
        found = tree(store)
        [kept] = [path for path in found if path.startswith("proposals/conflicts/")]
        assert kept in str(caught.value)
        assert found.pop(kept) == BEFORE[A]
        assert found == {**BEFORE, A: AFTER[A] + b"and theirs\n", B: THEIRS}

    def test_ours_is_changed_while_it_is_put_back(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        between(monkeypatch, rename, "exchange", lambda: replace(store, B, THEIRS), 2)
        between(monkeypatch, rename, "exchange", lambda: replace(store, A, AFTER[A] + b"and theirs\n"), 4)
        with pytest.raises(PartialError, match=A):
            commit(root, APPLY)
        found = tree(store)
        assert found[A] == AFTER[A] + b"and theirs\n"
        assert BEFORE[A] in found.values()
        assert found[B] == THEIRS

    @pytest.mark.parametrize("step", [1, 2])
    def test_what_we_made_is_changed_before_it_can_be_put_back(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, step: int
    ) -> None:
        def both() -> None:
            replace(store, GONE, b"ticked")
            if step == 1:
                replace(store, NEW, b"applied, and theirs")

        between(monkeypatch, rename, "name_free", both, 2)
        if step == 2:
            between(monkeypatch, rename, "name_free", lambda: replace(store, NEW, b"applied, and theirs"), 4)
        with pytest.raises(PartialError, match=NEW):
            commit(root, APPLY)
        assert tree(store)[NEW] == b"applied, and theirs"
        assert tree(store)[GONE] == b"ticked"

    def test_the_folder_is_taken_away(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        between(monkeypatch, Target, "put", lambda: (store / "memory/p").rename(store.parent / "taken"), 1)
        with pytest.raises(StaleError):
            commit(root, APPLY)
        assert (store.parent / "taken/a.md").read_bytes() == BEFORE[A]

    def test_ours_is_taken_away_with_its_folder(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        between(monkeypatch, rename, "exchange", lambda: replace(store, B, THEIRS), 2)
        between(monkeypatch, putback, "_take_ours_out", lambda: (store / "memory/p").rename(store.parent / "taken"), 2)
        with pytest.raises(StaleError):
            commit(root, APPLY)
        assert BEFORE[A] in [path.read_bytes() for path in (store.parent / "taken").iterdir()]

    @pytest.mark.parametrize(("owner", "step"), [(Target, "put"), (Target, "wait")])
    def test_somebody_opens_it_after_we_waited(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, owner: object, step: str
    ) -> None:
        fds: list[int] = []
        between(monkeypatch, owner, step, lambda: fds.append(os.open(store / A, os.O_WRONLY)), 1)
        with pytest.raises(StaleError, match=A):
            commit(root, APPLY)
        os.close(fds[0])
        assert tree(store) == BEFORE

    def test_somebody_appends_while_we_wait(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        between(monkeypatch, Target, "wait", lambda: replace(store, A, THEIRS))
        with pytest.raises(StaleError, match=f"{A} was written meanwhile"):
            commit(root, APPLY)
        assert tree(store) == {**BEFORE, A: THEIRS}

    def test_somebody_appends_to_what_came_out(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def append() -> None:
            [swap] = (store / "memory/p").glob("*.swap")
            with swap.open("ab") as file:
                file.write(b"appended")

        between(monkeypatch, committing, "_flush", append, 1)
        with pytest.raises(StaleError, match=A):
            commit(root, APPLY)
        assert tree(store) == {**BEFORE, A: BEFORE[A] + b"appended"}

    def test_what_we_removed_is_there_anew_before_it_can_be_put_back(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse() -> None:
            raise OSError(errno.EIO, "Input/output error")

        between(monkeypatch, committing, "_flush", refuse, 1)
        between(monkeypatch, rename, "name_free", lambda: replace(store, GONE, THEIRS), 3)
        with pytest.raises(PartialError, match=GONE) as caught:
            commit(root, APPLY)
        found = tree(store)
        [kept] = [path for path in found if "conflicts" in path]
        assert kept in str(caught.value)
        assert found == {**BEFORE, GONE: THEIRS, kept: BEFORE[GONE]}

    def test_somebody_is_about_to_open_it(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fds: list[int] = []

        def opening() -> None:
            with pytest.raises(BlockingIOError):  # the kernel has them wait for our lease, and tells us
                fds.append(os.open(store / A, os.O_WRONLY | os.O_NONBLOCK))

        between(monkeypatch, rename, "exchange", opening, 1)
        with pytest.raises(StaleError, match=A):
            commit(root, APPLY)
        assert tree(store) == BEFORE

    @pytest.mark.parametrize("later", [AFTER[A] + b"by a program that read ours\n", None])
    def test_a_version_that_was_away_is_found_again_if_it_is_written_over(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, later: bytes | None
    ) -> None:
        between(monkeypatch, rename, "exchange", lambda: replace(store, A, b"line 1\nnew line\n"), 1)
        with pytest.raises(StaleError):
            commit(root, APPLY)
        assert recover(root).kept == ()
        replace(store, A, later)
        [kept] = recover(root).kept
        assert kept.path == A
        assert (store / kept.at).read_bytes() == b"line 1\nnew line\n"
        assert recover(root).kept == ()

    @pytest.mark.parametrize("later", [b"line 1\nnew line\nmore\n", None])
    def test_or_forgotten_once_it_was_decided_on(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, later: bytes | None
    ) -> None:
        with monkeypatch.context() as patch:
            between(patch, rename, "exchange", lambda: replace(store, A, b"line 1\nnew line\n"), 1)
            with pytest.raises(StaleError):
                commit(root, APPLY)
        commit(root, Operation("other", (FileChange(B, BEFORE[B], b"other"),)))
        assert len(private(store, "returned")) == 1
        if later:
            replace(store, A, later)
        held = (store / A).read_bytes()
        commit(root, Operation("apply", (FileChange(A, held, b"rewritten"),)))
        assert recover(root).kept == ()
        assert private(store, "returned") == []

    def test_or_after_a_day(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        between(monkeypatch, rename, "exchange", lambda: replace(store, A, THEIRS), 1)
        with pytest.raises(StaleError):
            commit(root, APPLY)
        monkeypatch.setattr(returned, "KEEP_SECONDS", -1.0)
        assert recover(root).kept == ()
        assert private(store, "returned") == []


class TestLate:
    """A program has the old file open and appends after the operation is over."""

    @pytest.fixture
    def late(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> int:
        """Opened in the moment no lease covers."""
        opened: list[int] = []

        def opening() -> None:
            [swap] = (store / "memory/p").glob(".gardener-*-0.swap")
            opened.append(os.open(swap, os.O_WRONLY | os.O_APPEND))

        between(monkeypatch, record, "enter", opening, 2)
        commit(root, APPLY)
        return opened[0]

    def test_is_kept_and_named(self, root: Root, store: Path, late: int) -> None:
        assert recover(root).kept == ()
        os.write(late, b"late")
        (store / "proposals/conflicts").mkdir()
        (store / "proposals/conflicts/a.older.md").write_bytes(b"of an earlier time")
        [kept] = recover(root).kept
        assert kept.path == A
        assert str(kept).count(kept.at) == 1
        assert (store / kept.at).read_bytes() == BEFORE[A] + b"late"
        os.write(late, b" and later")
        os.close(late)
        assert (store / kept.at).read_bytes() == BEFORE[A] + b"late and later"
        assert recover(root).kept == ()
        assert {path: data for path, data in tree(store).items() if "conflicts" not in path} == AFTER

    def test_is_waited_for_however_long(
        self, root: Root, store: Path, late: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert len(private(store, "displaced")) == 3
        monkeypatch.setattr(displaced, "KEEP_SECONDS", -1.0)
        recover(root)
        assert [name.endswith("a.md") for name in private(store, "displaced")] == [True]
        os.close(late)
        recover(root)
        assert private(store, "displaced") == []

    @pytest.mark.parametrize("folder", ["displaced", "returned"])
    def test_what_a_hostile_store_brings_along_leads_nowhere(self, root: Root, store: Path, folder: str) -> None:
        place = store / ".gardener" / folder
        place.mkdir(parents=True)
        sums = f"{'0' * 64}-5-" if folder == "displaced" else ""
        names = ["..%2F..%2Foutside.md", "%2Fetc%2Fpasswd", "a%00b", "%FF", ".git%2Fconfig", "a%0Ab%1B[2J", "x" * 100]
        for number, name in enumerate(names):
            (place / f"0123456789ab-{number}-{sums}{name}").write_bytes(b"evil\n")
        (place / f"0123456789ab-90-{sums}link").symlink_to("/etc/passwd")
        (place / f"0123456789ab-91-{sums}folder").mkdir()
        os.mkfifo(place / f"0123456789ab-92-{sums}fifo")
        kept = recover(root).kept
        assert len(kept) == len(names)
        assert {Path(found.at).parent for found in kept} == {Path("proposals/conflicts")}
        assert all(found.at.isprintable() for found in kept)
        assert all((store / found.at).read_bytes() == b"evil\n" for found in kept)
        commit(root, REDACT_OTHER)
        assert not (store.parent / "outside.md").exists()

    def test_what_is_not_ours_there_is_left(self, root: Root, store: Path, late: int) -> None:
        os.close(late)
        (store / ".gardener/displaced/readme").write_bytes(b"")
        (store / ".gardener/returned").mkdir()
        (store / ".gardener/returned/readme").write_bytes(b"")
        recover(root)
        assert "readme" in private(store, "displaced")


def leave(root: Root, store: Path, state: str, operation: Operation = APPLY) -> journal.Journal:
    """A record as a crash leaves it right after it was given that name."""
    left = journal.Journal("0123456789ab", operation.name, operation.wipe, "proposals/conflicts", operation.changes)
    record.prepare(root, left)
    record.enter(root, journal.INTENT)
    if state != journal.INTENT:
        record.enter(root, state)
    return left


class TestRecovered:
    def test_forward_from_the_intent_alone(self, root: Root, store: Path) -> None:
        leave(root, store, journal.INTENT)
        assert journal.unfinished(root)
        assert recover(root) == Outcome("finished", "apply x")
        assert tree(store) == AFTER
        assert not journal.unfinished(root)

    @pytest.mark.parametrize("done", [1, 2, 3, 4])
    @pytest.mark.usefixtures("renames")
    def test_forward_from_half_way(self, root: Root, store: Path, done: int) -> None:
        for target in some(root, leave(root, store, journal.INTENT), done):
            target.put()
        assert recover(root).ended == "finished"
        assert tree(store) == AFTER

    @pytest.mark.parametrize("done", [0, 1, 2, 3, 4])
    @pytest.mark.usefixtures("renames")
    def test_back_once_it_was_marked_so(self, root: Root, store: Path, done: int) -> None:
        left = leave(root, store, journal.INTENT)
        for target in some(root, left, done):
            target.put()
        record.enter(root, journal.ABORT)
        assert journal.unfinished(root)
        assert recover(root).ended == "put back"
        assert tree(store) == BEFORE

    @pytest.mark.parametrize("done", [0, 1, 2, 3, 4])
    @pytest.mark.parametrize("path", [A, B, NEW, GONE])
    def test_back_where_a_target_moved_on(self, root: Root, store: Path, done: int, path: str) -> None:
        left = leave(root, store, journal.INTENT)
        for target in some(root, left, done):
            target.put()
        replace(store, path, THEIRS)
        outcome = recover(root)
        assert outcome.ended == "put back"
        found = tree(store)
        assert found[path] == THEIRS
        was_done = [change.path for change in CHANGES][:done]
        assert outcome.stuck == ((path,) if path in was_done else ())
        kept = {kept.path: found.pop(kept.at) for kept in outcome.kept}
        assert kept == ({path: BEFORE[path]} if outcome.stuck and path != NEW else {})
        assert found == {**BEFORE, path: THEIRS}

    @pytest.mark.parametrize("done", [0, 1])
    def test_a_folder_that_became_a_link_is_out_of_reach(self, root: Root, store: Path, done: int) -> None:
        for target in some(root, leave(root, store, journal.INTENT), done):
            target.put()
        (store / "memory/p").rename(store.parent / "outside")
        (store / "memory/p").symlink_to(store.parent / "outside")
        outside = {path.name: path.read_bytes() for path in (store.parent / "outside").iterdir()}
        assert recover(root).ended == "put back"
        assert {path.name: path.read_bytes() for path in (store.parent / "outside").iterdir()} == outside

    def test_only_clearing_up_when_done(self, root: Root, store: Path) -> None:
        left = leave(root, store, journal.INTENT)
        for target in some(root, left, 4):
            target.put()
        record.enter(root, journal.DONE)
        assert not journal.unfinished(root)
        replace(store, A, THEIRS)
        assert recover(root) == Outcome("finished", "apply x")
        assert tree(store) == {**AFTER, A: THEIRS}

    def test_old_bytes_put_back_by_hand_are_not_overruled(self, root: Root, store: Path) -> None:
        for target in some(root, leave(root, store, journal.INTENT), 1):
            target.put()
        replace(store, A, BEFORE[A])
        assert recover(root).ended == "put back"
        assert tree(store) == BEFORE

    def test_a_temporary_file_that_was_deleted_is_written_anew(self, root: Root, store: Path) -> None:
        left = leave(root, store, journal.INTENT)
        for target in some(root, left, 4):
            target.put()
        for swap in store.rglob(".gardener-*.swap"):
            swap.unlink()
        record.enter(root, journal.ABORT)
        assert recover(root).ended == "put back"
        assert tree(store) == BEFORE

    def test_new_bytes_that_another_program_wrote_by_itself_stay(self, root: Root, store: Path) -> None:
        left = leave(root, store, journal.INTENT)
        some(root, left, 0)
        replace(store, A, AFTER[A])
        record.enter(root, journal.ABORT)
        assert recover(root).stuck == ()
        assert tree(store) == {**BEFORE, A: AFTER[A]}

    def test_what_was_only_prepared_is_dropped(self, root: Root, store: Path) -> None:
        record.prepare(root, journal.Journal("0123456789ab", "x", False, "proposals/conflicts", CHANGES))
        assert recover(root) == Outcome("nothing")
        assert private(store, "journal") == []
        assert tree(store) == BEFORE

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda data: data[:-1],
            lambda data: b"0" * 64 + data[64:],
            lambda _: b"",
            lambda _: sealed(b"not json"),
            lambda _: sealed(b"{}"),
            lambda _: forged(".git/hooks/post-checkout"),
            lambda _: forged("../outside"),
            lambda _: sealed(
                journal.encode(leaving(".git/x"), 1).partition(b"\n")[2].replace(b".git/x", "\u1234".encode())
            ),
            lambda _: forged("memory/p/a.md", nonce="../../x"),
        ],
    )
    def test_a_damaged_or_forged_record_changes_nothing(
        self, root: Root, store: Path, spoil: Callable[[bytes], bytes]
    ) -> None:
        leave(root, store, journal.INTENT)
        path = store / ".gardener/journal/intent"
        path.write_bytes(spoil(path.read_bytes()))
        for copied in (False, True):
            with pytest.raises(PartialError, match="nothing was changed"):
                recover(root, copied=copied)
        assert tree(store) == BEFORE
        assert journal.unfinished(root)

    @pytest.mark.parametrize("state", journal.STATES)
    def test_a_record_that_came_with_a_checkout_waits_for_a_person(self, root: Root, store: Path, state: str) -> None:
        leave(root, store, state)
        path = store / ".gardener/journal" / state
        path.with_name("elsewhere").write_bytes(path.read_bytes())
        path.with_name("elsewhere").replace(path)
        with pytest.raises(PartialError, match="not written here"):
            recover(root)
        assert tree(store) == BEFORE
        assert recover(root, copied=True).ended == ("put back" if state == journal.ABORT else "finished")


def some(root: Root, left: journal.Journal, count: int) -> tuple[Target, ...]:
    """The first `count` targets of a record, all being ready."""
    targets = committing._targets(root, left)
    for target in targets:
        target.prepare()
    return targets[:count]


def sealed(body: bytes) -> bytes:
    import hashlib

    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def leaving(path: str, nonce: str = "0123456789ab") -> journal.Journal:
    return journal.Journal(nonce, "x", False, "proposals/conflicts", (FileChange(path, None, b"evil"),))


def forged(path: str, nonce: str = "0123456789ab") -> bytes:
    return journal.encode(leaving(path, nonce), 1)


REDACT_OTHER = Operation("redact b", (FileChange(B, BEFORE[B], b"[redacted]"),), wipe=True)
SECRET = b"sk-test-0123456789"
HELD = b"token " + SECRET
REDACT = Operation("redact a", (FileChange(A, HELD, b"token [redacted]"), FileChange(NEW, None, b"applied")), wipe=True)


class TestWiped:
    @pytest.fixture(autouse=True)
    def secret(self, store: Path, before: None) -> None:
        del before  # has run
        (store / A).write_bytes(HELD)

    def where(self, store: Path) -> list[str]:
        return [path.name for path in store.rglob("*") if path.is_file() and SECRET in path.read_bytes()]

    def test_nothing_of_it_is_left(self, root: Root, store: Path) -> None:
        assert commit(root, REDACT).ended == "finished"
        assert self.where(store) == []
        assert private(store, "journal") == []

    def test_nor_in_what_earlier_operations_kept(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        commit(root, Operation("earlier", (FileChange(A, HELD, HELD + b"!"), FileChange(B, BEFORE[B], b"other b"))))
        with monkeypatch.context() as patch:
            between(patch, rename, "exchange", lambda: replace(store, A, HELD), 1)
            with pytest.raises(StaleError):
                commit(root, Operation("disturbed", (FileChange(A, HELD + b"!", b"x"),)))
        assert len(self.where(store)) == 3
        commit(root, REDACT)
        assert self.where(store) == []
        assert any(path.read_bytes() == BEFORE[B] for path in (store / ".gardener/displaced").iterdir())

    def test_a_late_append_is_kept_without_it(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        opened: list[int] = []

        def opening() -> None:
            [path] = (store / ".gardener/displaced").glob("*a.md")
            opened.append(os.open(path, os.O_WRONLY | os.O_APPEND))

        between(monkeypatch, record, "forget", opening, 2)
        commit(root, REDACT)
        os.write(opened[0], b"late")
        os.close(opened[0])
        [kept] = recover(root).kept
        assert (store / kept.at).read_bytes() == b"late"

    def test_what_was_written_late_to_an_earlier_version_waits_for_recovery(self, root: Root, store: Path) -> None:
        commit(root, Operation("earlier", (FileChange(A, HELD, HELD + b"!"),)))
        [kept] = (store / ".gardener/displaced").iterdir()
        with kept.open("ab") as file:
            file.write(b" late")
        replace(store, A, HELD)
        commit(root, REDACT)
        [told] = recover(root).kept
        assert (store / told.at).read_bytes() == HELD + b" late"

    def test_a_reader_that_does_not_close_is_told_of(self, root: Root, store: Path) -> None:
        with (store / A).open("rb"):
            with pytest.raises(PartialError, match="open in another program"):
                commit(root, REDACT)
            with pytest.raises(OSError, match="open in another program"):
                recover(root)
        assert (store / A).read_bytes() == b"token [redacted]"
        assert recover(root).ended == "finished"
        assert self.where(store) == []

    def test_the_other_name_of_a_hard_link_is_its_owners_affair(self, root: Root, store: Path) -> None:
        os.link(store / A, store.parent / "elsewhere")
        commit(root, REDACT)
        assert self.where(store) == []
        assert (store.parent / "elsewhere").read_bytes() == HELD

    def test_put_back_when_it_moved_on(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        between(monkeypatch, rename, "exchange", lambda: replace(store, A, HELD + b", theirs"), 1)
        with pytest.raises(StaleError):
            commit(root, REDACT)
        assert (store / A).read_bytes() == HELD + b", theirs"

    def test_a_crash_after_emptying_is_no_conflict(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse() -> None:
            raise OSError(errno.EIO, "Input/output error")

        with monkeypatch.context() as patch:
            between(patch, displaced, "keep", refuse, 1)
            with pytest.raises(PartialError, match="old bytes are left"):
                commit(root, REDACT)
        assert recover(root) == Outcome("finished", "redact a")
        assert self.where(store) == []

    def test_a_version_written_meanwhile_is_kept(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def append() -> None:
            [swap] = (store / "memory/p").glob("*.swap")
            with swap.open("ab") as file:
                file.write(b" appended")

        between(monkeypatch, displaced, "bury_earlier", append, 1)
        [kept] = commit(root, REDACT).kept
        assert (store / kept.at).read_bytes() == HELD + b" appended"


class TestSystemRefuses:
    @pytest.mark.parametrize(
        ("owner", "name", "at"),
        [
            (likeness, "flush", 1),
            (likeness, "flush", 3),
            (rename, "exchange", 2),
            (rename, "name_free", 1),
            (rename, "name_free", 2),
            (record, "enter", 2),
        ],
    )
    def test_everything_is_put_back(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str, at: int
    ) -> None:
        def refuse() -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        between(monkeypatch, owner, name, refuse, at)
        with pytest.raises(OSError, match="No space left"):
            commit(root, APPLY)
        assert tree(store) == BEFORE
        assert private(store, "journal") == []

    def test_to_say_what_a_file_holds(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse() -> None:
            raise OSError(errno.EIO, "Input/output error")

        between(monkeypatch, beneath, "read", refuse, 2)
        with pytest.raises(OSError, match="Input/output"):
            commit(root, APPLY)
        assert tree(store) == BEFORE

    @pytest.mark.parametrize(("code", "stops"), [(errno.ENOTSUP, False), (errno.EIO, True)])
    def test_to_give_attributes(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, code: int, stops: bool
    ) -> None:
        def refuse(*_: object) -> list[str]:
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(os, "listxattr", refuse)
        if stops:
            with pytest.raises(OSError, match=os.strerror(code)):
                commit(root, APPLY)
        else:
            commit(root, APPLY)
        assert tree(store) == (BEFORE if stops else AFTER)

    @pytest.mark.parametrize("at", [1, 2, 3])
    def test_before_it_began(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
        def refuse() -> None:
            raise OSError(errno.EIO, "Input/output error")

        between(monkeypatch, record, ("flush", "write_all", "encode")[at - 1], refuse)
        with pytest.raises(OSError, match="Input/output"):
            commit(root, APPLY)
        assert tree(store) == BEFORE
        assert private(store, "journal") == []

    def test_at_the_commit_point(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise OSError(errno.EIO, "Input/output error")

        with monkeypatch.context() as patch:
            patch.setattr(record.os, "rename", renaming_of("prepared", refuse))
            with pytest.raises(OSError, match="Input/output"):
                commit(root, APPLY)
        assert tree(store) == BEFORE
        assert private(store, "journal") == []

    def test_when_the_commit_point_is_not_durable(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse() -> None:
            raise OSError(errno.EIO, "Input/output error")

        between(monkeypatch, record, "flush_folder", refuse, 1)
        with pytest.raises(OSError, match="Input/output"):
            commit(root, APPLY)
        assert tree(store) == BEFORE
        assert private(store, "journal") == []

    def test_when_nothing_works_any_more_recovery_ends_it(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise OSError(errno.EIO, "Input/output error")

        with monkeypatch.context() as patch:
            patch.setattr(record, "flush_folder", refuse)
            with pytest.raises(PartialError, match="doctor --recover"):
                commit(root, APPLY)
        assert recover(root).ended == "put back"
        assert tree(store) == BEFORE

    @pytest.mark.parametrize("what", ["", "/journal/intent"])
    def test_the_record_is_deleted_meanwhile(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, what: str
    ) -> None:
        path = store / f".gardener{what}"
        between(monkeypatch, committing, "_flush", lambda: path.unlink() if what else shutil.rmtree(path))
        with pytest.raises(FileNotFoundError):
            commit(root, APPLY)
        assert tree(store) == BEFORE

    def test_and_something_had_to_be_kept(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse() -> None:
            [swap] = (store / "memory/p").glob("*.swap")
            (store / "memory/p" / "theirs").write_bytes(THEIRS)
            (store / "memory/p" / "theirs").rename(swap)
            replace(store, A, BEFORE[A])
            raise OSError(errno.EIO, "Input/output error")

        between(monkeypatch, committing, "_flush", refuse, 1)
        with pytest.raises(StaleError, match=r"Input/output error; nothing was changed; memory/p/a\.md was written"):
            commit(root, APPLY)
        found = tree(store)
        [kept] = [path for path in found if "conflicts" in path]
        assert found == {**BEFORE, kept: THEIRS}

    def test_clearing_up_can_wait(self, root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse() -> None:
            raise OSError(errno.EIO, "Input/output error")

        with monkeypatch.context() as patch:
            between(patch, displaced, "short", refuse, 1)
            assert commit(root, APPLY).ended == "finished"
        assert not journal.unfinished(root)
        assert commit_again(root).ended == "finished"

    @pytest.mark.parametrize("code", [errno.EXDEV, errno.EACCES])
    def test_to_keep_what_came_out(self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
        def elsewhere(*_: object, **__: object) -> None:
            raise OSError(code, os.strerror(code))

        with monkeypatch.context() as patch:
            patch.setattr(displaced.os, "rename", renaming_across(elsewhere))
            commit(root, APPLY)
        recover(root)
        assert tree(store) == AFTER
        assert len(private(store, "displaced")) == (0 if code == errno.EXDEV else 3)


def commit_again(root: Root) -> Outcome:
    recover(root)
    return commit(root, Operation("back", tuple(FileChange(c.path, c.after, c.before) for c in CHANGES)))


def renaming_of(name: str, refuse: Callable[..., None]) -> Callable[..., None]:
    real = os.rename

    def renaming(source: str, target: str, **folders: int) -> None:
        if source == name:
            refuse()
        real(source, target, **folders)

    return renaming


def renaming_across(refuse: Callable[..., None]) -> Callable[..., None]:
    real = os.rename

    def renaming(source: str, target: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        if os.fstat(src_dir_fd).st_ino != os.fstat(dst_dir_fd).st_ino:
            refuse()
        real(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    return renaming


class TestConflicts:
    @pytest.mark.parametrize("code", [errno.EXDEV, errno.EPERM])
    @pytest.mark.parametrize("path", ["memory/p/a.md", "memory/LICENSE", "memory/.x"])
    def test_a_copy_where_a_file_cannot_have_two_names(
        self, root: Root, store: Path, monkeypatch: pytest.MonkeyPatch, code: int, path: str
    ) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(os, "link", refuse)
        (store / "proposals/conflicts").mkdir()
        (store / "proposals/conflicts/a.of-another.md").write_bytes(b"")
        kept = []
        for data in (b"one", b"two"):
            (store / path).write_bytes(data)
            with beneath.parent(root, path) as source:
                kept.append(conflicts.to_conflicts(root, "proposals/conflicts", path, source, "0123456789ab-0"))
        assert [(store / found.at).read_bytes() for found in kept] == [b"one", b"two"]
        assert {found.at for found in conflicts.of_operation(root, "proposals/conflicts", "0123456789ab", (path,))} == {
            found.at for found in kept
        }

    def test_a_crash_between_the_two_names(self, root: Root, store: Path) -> None:
        (store / "proposals/conflicts").mkdir()
        os.link(store / A, store / "proposals/conflicts/a.0123456789ab-0.md")
        with beneath.parent(root, A) as source:
            kept = conflicts.to_conflicts(root, "proposals/conflicts", A, source, "0123456789ab-0")
        assert kept.at == "proposals/conflicts/a.0123456789ab-0.md"
        assert not (store / A).exists()

    def test_other_failures_are_failures(self, root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "link", refuse)
        with pytest.raises(OSError, match="No space"), beneath.parent(root, A) as source:
            conflicts.to_conflicts(root, "proposals/conflicts", A, source, "0123456789ab-0")

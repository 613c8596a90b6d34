"""What the threads of a process do, as the kernel counts it. They may end while they are counted."""
import glob
import re


class Gone(Exception):
    """There is no such process any more."""


def read_each(pid, name):
    """The text of this file of each thread, by its path."""
    texts = {}
    for path in glob.glob(f"/proc/{pid}/task/*/{name}"):
        try:
            with open(path, encoding="utf-8") as file:
                texts[path] = file.read()
        except (FileNotFoundError, ProcessLookupError):
            continue
    if not texts:
        raise Gone(f"process {pid} is gone")
    return texts


def switches(pid):
    """How often each thread has gone to sleep."""
    return {path: int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", text, re.M)[1])
            for path, text in read_each(pid, "status").items()}


def woken(before, after):
    """How often threads have, between two counts; each that has ended meanwhile did at least once."""
    return sum(count - before.get(path, 0) for path, count in after.items()) + \
        len(before.keys() - after.keys())


def times(pid):
    """Seconds that its threads ran, and that they were ready to run and did not."""
    counts = [text.split() for text in read_each(pid, "schedstat").values()]
    return tuple(sum(int(count[i]) for count in counts) / 1e9 for i in (0, 1))

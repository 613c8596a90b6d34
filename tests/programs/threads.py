# SPDX-License-Identifier: MIT
"""Kernel statistics of the threads of a process. Threads may end in between."""
import glob
import re


class Gone(Exception):
    """The process has ended."""


def read_each(pid, name):
    """Returns the text of this file of each thread, by path."""
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
    """Returns how often each thread has gone to sleep."""
    return {path: int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", text, re.M)[1])
            for path, text in read_each(pid, "status").items()}


def woken(before, after):
    """Returns the sleeps between two counts; a thread that ended in between counts once."""
    return sum(count - before.get(path, 0) for path, count in after.items()) + \
        len(before.keys() - after.keys())


def times(pid):
    """Returns the seconds that its threads ran, and that they waited for a processor."""
    counts = [text.split() for text in read_each(pid, "schedstat").values()]
    return tuple(sum(int(count[i]) for count in counts) / 1e9 for i in (0, 1))

"""How cases fail, and how they wait."""
import time


class Failure(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Failure(what)


# For what hangs: a guest without a processor's help, on a busy machine, is slow.
WAIT = 600


def wait_for(condition, what, seconds=WAIT):
    """Polls, because what is waited for is in another process."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        check(time.monotonic() < end, f"not within {seconds} s: {what}")
        time.sleep(0.05)

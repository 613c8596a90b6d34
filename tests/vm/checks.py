# SPDX-License-Identifier: MIT
"""Failures of cases, and waiting for conditions."""
import time


class Failure(Exception):
    pass


def check(condition, what):
    if not condition:
        raise Failure(what)


# Limit for hangs in seconds. Emulation without KVM on a busy machine is slow.
WAIT = 240

# Functions that return how a process which a case depends on has ended, or None while it runs.
ends = []


def check_running(what):
    """Raises Failure if a process that the case depends on has ended."""
    for end in ends:
        reason = end()
        check(reason is None, f"{reason} before: {what}")


def wait_for(condition, what, seconds=WAIT):
    """Polls `condition` and returns its first true value.

    Raises Failure after `seconds`, or at once when the compositor of the case has ended.
    """
    end = time.monotonic() + seconds
    while True:
        check_running(what)
        try:
            value = condition()
        except Failure:
            check_running(what)
            raise
        if value:
            return value
        check(time.monotonic() < end, f"not within {seconds} s: {what}")
        time.sleep(0.05)

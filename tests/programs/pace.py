# SPDX-License-Identifier: MIT
"""Frame pacing, measured by presentation feedback and by traces of the compositor."""
import json
import re
import statistics


class Irregular(Exception):
    pass


class Late(Irregular):
    """Too few or late frames: the machine may have been busy."""


def read_feedback(text):
    """Parses the output of weston-presentation-shm: (us since the previous frame, sequence, flags) of each
    frame; flags are s (vsync), c (hardware clock), e (hardware completion), z (zero-copy), _ for none."""
    return [(int(interval), int(sequence), flags) for interval, flags, sequence
            in re.findall(r"p2p\s+(\d+) us.*\[(.{4})\], seq (\d+)", text)]


def read_trace(path):
    """Returns the us between presented frames of the only output, from a file of causewayctl trace."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    times = sorted(event["ts"] for event in events if event.get("name") == "presented")
    return [later - time for time, later in zip(times, times[1:])]


def check(what, intervals, period, tolerance, least, share):
    """Fails unless there are `least` frames, presented at vblanks only, of which a share follows the previous
    one without a gap. That share depends on the load of the machine."""
    if len(intervals) < least:
        raise Late(f"{what}: only {len(intervals)} frames")
    periods = [interval / period for interval in intervals]
    off = [interval for interval, n in zip(intervals, periods)
           if round(n) < 1 or abs(n - round(n)) > tolerance * max(1, n)]
    if len(off) > 0.01 * len(intervals):
        raise Irregular(f"{what}: frames presented off the vblank: {off[:10]}")
    once = sum(round(n) == 1 for n in periods) / len(periods)
    print(f"{what}: {len(intervals)} frames, {once:.1%} a refresh after the one before, deviation "
          f"{statistics.pstdev(intervals):.0f} us", flush=True)
    if once < share:
        raise Late(f"{what}: too many frames came late")

"""The pace of frames, as a program that asks for feedback and as a trace of the compositor tell it."""
import json
import re
import statistics


class Irregular(Exception):
    pass


class Late(Irregular):
    """Fewer frames than there should be, or later: the machine may have been busy."""


def read_feedback(text):
    """What weston-presentation-shm prints: (us since its frame before, sequence, flags) of each frame;
    flags are s (vsync), c (hardware clock), e (hardware completion), z (zero-copy), _ for none."""
    return [(int(light), int(sequence), flags) for light, flags, sequence
            in re.findall(r"p2p\s+(\d+) us.*\[(.{4})\], seq (\d+)", text)]


def read_trace(path):
    """Of causewayctl trace: us from one frame's light to the next, of the only output."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    times = sorted(event["ts"] for event in events if event.get("name") == "light")
    return [later - time for time, later in zip(times, times[1:])]


def check(what, intervals, period, tolerance, least, share):
    """Frames are light at vblanks and nowhere else; of `least` of them at least a share follows the one
    before at once. How many do is a matter of what else the machine does."""
    if len(intervals) < least:
        raise Late(f"{what}: only {len(intervals)} frames")
    periods = [interval / period for interval in intervals]
    off = [interval for interval, n in zip(intervals, periods)
           if round(n) < 1 or abs(n - round(n)) > tolerance * max(1, n)]
    if len(off) > 0.01 * len(intervals):
        raise Irregular(f"{what}: light that is on no vblank: {off[:10]}")
    once = sum(round(n) == 1 for n in periods) / len(periods)
    print(f"{what}: {len(intervals)} frames, {once:.1%} a refresh after the one before, deviation "
          f"{statistics.pstdev(intervals):.0f} us", flush=True)
    if once < share:
        raise Late(f"{what}: too many frames came late")

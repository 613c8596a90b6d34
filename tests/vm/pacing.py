"""Cases of the pace of real programs, by feedback and by trace."""
import json
import os
import sys
import time

import rig
from checks import WAIT, Failure, check, wait_for
from rig import Causeway

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "programs"))
import pace  # noqa: E402

FRAMES = 20


def check_pace(causeway, what, intervals):
    """That light is on vblanks is the kernel's word. How many are met is a matter of what else the
    machine of this guest does, most of all where its CPUs draw in place of a GPU."""
    (output,) = causeway.outputs().values()
    try:
        pace.check(what, intervals, 1e6 / output["refresh"], 0.01, FRAMES, 0)
    except pace.Irregular as irregular:
        raise Failure(str(irregular)) from None


def feedback_pace(renderer):
    """Presentation times are the kernel's, on the screen's grid, and said to be its clock's."""
    with Causeway(renderer=renderer) as causeway:
        client = causeway.start("stdbuf", "-oL", "weston-presentation-shm", "-f")
        causeway.window("presentation")
        start = os.path.getsize(client.log.name)

        def read():
            with open(client.log.name, encoding="utf-8", errors="replace") as log:
                log.seek(start)
                # Before the first one that is read there may have been none: it tells no time.
                frames = pace.read_feedback(log.read())[1:]
            return len(frames) >= FRAMES and frames
        frames = wait_for(read, f"{FRAMES} frames")
        check_pace(causeway, f"presentation with {renderer}", [light for light, _, _ in frames])
        flags = {flags for _, _, flags in frames}
        # Zero-copy where its pool came to be scanned out, which depends on how fast it is here.
        check(flags and flags <= {"sce_", "scez"}, f"pictures are told to be {flags}")
        counts = [sequence for _, sequence, _ in frames]
        check(all(later > count for count, later in zip(counts, counts[1:])),
              f"vblanks that go back: {counts}")


def case_feedback_pace_pixman():
    feedback_pace("pixman")


def case_feedback_pace_gles():
    feedback_pace("gles")


def case_egl_pace():
    """weston-simple-egl, which goes by frame callbacks: its frames' light by a trace."""
    with Causeway() as causeway:
        causeway.start("weston-simple-egl", "-o")
        causeway.window("simple-egl")

        def trace():
            causeway.control("trace", "/tmp/pace.json", "--seconds=5")
            intervals = pace.read_trace("/tmp/pace.json")
            return len(intervals) >= FRAMES and intervals
        check_pace(causeway, "egl", wait_for(trace, f"{FRAMES} frames in 5 s"))


def case_storm():
    """A program that commits as fast as it can: the newest picture each time, the others at no upload."""
    with Causeway(renderer="gles") as causeway:
        causeway.start("sh", "-c", f"yes | {rig.BUILD}/tests/bench/load-client storm {4 * WAIT}")
        causeway.window("load-client")
        time.sleep(1)
        began = time.monotonic()
        first = causeway.window("load-client")

        def later():
            surface = causeway.window("load-client")
            return surface["shown"] > first["shown"] + FRAMES and surface
        last = wait_for(later, f"{FRAMES} frames")
        seconds = time.monotonic() - began
        committed, shown, uploaded = (last[key] - first[key]
                                      for key in ("committed", "shown", "uploaded"))
        print(f"storm: {committed} commits, {shown} shown, {uploaded} bytes uploaded", flush=True)
        check(committed > 1.5 * shown, "the program was not faster than the screen")
        check(shown < 61 * (seconds + 2), f"{shown} shown in {seconds} s")
        # Of each commit 64x64 pixels are damaged; what is damaged, and not drawn, twice is uploaded once.
        check(uploaded <= (shown + 3) * 64 * 64 * 4, "pictures were uploaded that were not shown")


def policy_of(thread):
    return os.sched_getscheduler(int(thread)) & ~os.SCHED_RESET_ON_FORK


def case_realtime():
    """The event loop comes before all else that the machine does; its other threads and what it starts do not."""
    with Causeway() as causeway:
        check(json.loads(causeway.control("stats", "--json"))["realtime"],
              "the event loop is not scheduled real-time")
        causeway.control("spawn", "--", "sleep", "3600")
        pid = causeway.process.pid
        seen = 0
        for thread in os.listdir(f"/proc/{pid}/task"):
            wanted = os.SCHED_RR if int(thread) == pid else os.SCHED_OTHER
            check(policy_of(thread) == wanted, f"thread {thread} of {pid}: {policy_of(thread)}")
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as children:
                for child in children.read().split():
                    seen += 1
                    check(policy_of(child) == os.SCHED_OTHER, f"child {child}: {policy_of(child)}")
        check(seen > 0, "what it spawned is not among its children")

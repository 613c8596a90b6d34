# SPDX-License-Identifier: MIT
"""Cases of frame pacing of real programs, by presentation feedback and by trace."""
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
    """Checks that presentation times are on the grid of vblanks.

    The number of missed vblanks depends on the load of the host, so it is not limited."""
    (output,) = causeway.outputs().values()
    try:
        pace.check(what, intervals, 1e6 / output["refresh"], 0.01, FRAMES, 0)
    except pace.Irregular as irregular:
        raise Failure(str(irregular)) from None


def feedback_pace(renderer):
    """Presentation times come from the kernel, on the vblank grid, with matching flags."""
    with Causeway(renderer=renderer) as causeway:
        client = causeway.start("stdbuf", "-oL", "weston-presentation-shm", "-f")
        causeway.window("presentation")
        start = os.path.getsize(client.log.name)

        def read():
            with open(client.log.name, encoding="utf-8", errors="replace") as log:
                log.seek(start)
                # The first frame that is read may lack a predecessor, and so an interval.
                frames = pace.read_feedback(log.read())[1:]
            return len(frames) >= FRAMES and frames
        frames = wait_for(read, f"{FRAMES} frames")
        check_pace(causeway, f"presentation with {renderer}", [interval for interval, _, _ in frames])
        flags = {flags for _, _, flags in frames}
        # Zero-copy if the pool was scanned out, which depends on the speed of the guest.
        check(flags and flags <= {"sce_", "scez"}, f"presentation flags {flags}")
        counts = [sequence for _, sequence, _ in frames]
        check(all(later > count for count, later in zip(counts, counts[1:])),
              f"vblank counts do not increase: {counts}")


def case_presentation_times_are_vblanks_pixman():
    feedback_pace("pixman")


def case_presentation_times_are_vblanks_gles():
    feedback_pace("gles")


def case_egl_client_is_presented_evenly():
    """weston-simple-egl, paced by frame callbacks: presentation times by a trace."""
    with Causeway() as causeway:
        causeway.start("weston-simple-egl", "-o")
        causeway.window("simple-egl")

        def trace():
            causeway.control("trace", "/tmp/pace.json", "--seconds=5")
            intervals = pace.read_trace("/tmp/pace.json")
            return len(intervals) >= FRAMES and intervals
        check_pace(causeway, "egl", wait_for(trace, f"{FRAMES} frames in 5 s"))


def case_newest_of_many_commits_is_uploaded():
    """A client that commits without waiting: the newest commit of each frame is uploaded, others are not."""
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
        check(committed > 1.5 * shown, "the client was not faster than the screen")
        check(shown < 61 * (seconds + 2), f"{shown} shown in {seconds} s")
        # Each commit damages 64x64 pixels; damage of commits that are not shown is merged.
        check(uploaded <= (shown + 3) * 64 * 64 * 4, "more than the presented commits was uploaded")


def policy_of(thread):
    return os.sched_getscheduler(int(thread)) & ~os.SCHED_RESET_ON_FORK


def case_only_event_loop_is_realtime():
    """The event loop is scheduled real-time; other threads and started programs are not."""
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
        check(seen > 0, "the spawned program is no child")

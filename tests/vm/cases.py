#!/usr/bin/env python3
"""cases GROUP [CASE...]: runs a group of cases in the guest, one after the other. Each is a function that
raises Failure; the line that counts them is the last."""
import subprocess
import sys
import time
import traceback

import cards
import gpus
import inputs
import pacing
import planes
import scenes
import sessions
from checks import Failure

GROUPS = {
    "pacing": [
        pacing.case_feedback_pace_pixman, pacing.case_feedback_pace_gles, pacing.case_egl_pace,
        pacing.case_storm, pacing.case_realtime],
    "render-gpus": [gpus.case_copies_pixman, gpus.case_rules],
    "one-card": [
        sessions.case_auto, sessions.case_session, sessions.case_pixman, sessions.case_gles,
        sessions.case_seat_is_held, inputs.case_keys, inputs.case_pointer, sessions.case_config,
        sessions.case_vt_keys, sessions.case_console, sessions.case_copy_engines],
    "losses": [
        sessions.case_reference_pixman, sessions.case_reference_gles, sessions.case_revoked,
        sessions.case_vt],
    "seat": [
        inputs.case_mouse, inputs.case_touchpad, inputs.case_pen, inputs.case_lid,
        inputs.case_layouts, inputs.case_hotplug, inputs.case_lock],
    "two-cards": [
        cards.case_desktop, cards.case_two_cards_pixman, cards.case_two_cards_gles,
        cards.case_context_lost, cards.case_connector, cards.case_all_unplugged,
        cards.case_pci_card_pixman, cards.case_pci_card_gles, gpus.case_copies_gles, cards.case_card_gone],
    "planes": [
        planes.case_scan_out_pixman, planes.case_scan_out_gles, planes.case_overlay_pixman,
        planes.case_overlay_gles, planes.case_pool_on_plane_pixman,
        planes.case_pool_on_plane_gles, planes.case_pool_sampled, planes.case_little_changes,
        planes.case_lease],
    "scenes": [scenes.case_random_scenes_pixman, scenes.case_random_scenes_gles],
}


def run(case):
    started = time.monotonic()
    name = case.__name__[len("case_"):]
    try:
        case()
    except Failure as failure:
        print(f"FAILED {name}: {failure}", flush=True)
        return False
    except Exception:
        print(f"FAILED {name}:\n{traceback.format_exc()}", flush=True)
        return False
    print(f"ok {name} ({time.monotonic() - started:.0f} s)", flush=True)
    return True


def main():
    wanted = sys.argv[2:]
    cases = [case for case in GROUPS[sys.argv[1]]
             if not wanted or case.__name__[len("case_"):] in wanted]
    results = [run(case) for case in cases]
    kernel = subprocess.run(["dmesg"], capture_output=True, text=True, check=False).stdout
    for line in kernel.splitlines():
        if "BUG:" in line or "Oops" in line:
            print(f"FAILED: the guest's kernel: {line}")
            results.append(False)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed, 0 skipped", flush=True)
    sys.exit(0 if all(results) else 1)


main()

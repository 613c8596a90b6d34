#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runner of a group of cases in the guest: cases GROUP [CASE...].

A case is a function that raises Failure. The last line of the output counts the results."""
import glob
import os
import subprocess
import sys
import threading
import time
import traceback

import cards
import gpus
import inputs
import linux73
import pacing
import planes
import scenes
import sessions
import started
from checks import Failure

GROUPS = {
    "pacing": [
        pacing.case_presentation_times_are_vblanks_pixman,
        pacing.case_presentation_times_are_vblanks_gles,
        pacing.case_egl_client_is_presented_evenly,
        pacing.case_newest_of_many_commits_is_uploaded,
        pacing.case_only_event_loop_is_realtime,
    ],
    "render-gpus": [
        gpus.case_engines_copy_exactly_pixman,
        gpus.case_x_server_of_each_gpu,
        gpus.case_confined_program_opens_its_own_gpu_only,
        gpus.case_rule_selects_gpu,
    ],
    "starts": [
        started.case_programs_render_on_the_gpu_of_their_rule,
        gpus.case_x_server_of_each_gpu_without_ptrace,
    ],
    "one-card": [
        sessions.case_default_backend_is_drm,
        sessions.case_login_script_ends_its_session,
        sessions.case_screen_equals_screenshot_pixman,
        sessions.case_screen_equals_screenshot_gles,
        sessions.case_second_session_on_seat_is_refused,
        inputs.case_typed_keys_and_bindings_arrive,
        inputs.case_cursor_plane_follows_pointer,
        sessions.case_reload_changes_output,
        sessions.case_binding_switches_virtual_terminal,
        sessions.case_console_is_usable_after_exit,
        sessions.case_copy_engines_are_exact,
    ],
    "losses": [
        sessions.case_screen_equals_headless_reference_pixman,
        sessions.case_screen_equals_headless_reference_gles,
        sessions.case_frames_resume_after_revoked_master,
        sessions.case_frames_resume_after_terminal_switch,
    ],
    "seat": [
        inputs.case_high_resolution_wheels_arrive,
        inputs.case_touchpad_taps_scrolls_and_swipes,
        inputs.case_pen_events_arrive,
        inputs.case_closed_lid_runs_command,
        inputs.case_keyboards_have_separate_layouts,
        inputs.case_removed_device_releases_its_keys,
        inputs.case_locked_session_receives_no_input,
    ],
    "two-cards": [
        cards.case_desktop_programs_show_on_two_cards,
        cards.case_window_spans_two_cards_pixman,
        cards.case_window_spans_two_cards_gles,
        cards.case_output_recovers_from_lost_context,
        cards.case_client_survives_unplugged_connector,
        cards.case_clients_survive_without_screens,
        cards.case_clients_survive_card_removal_pixman,
        cards.case_clients_survive_card_removal_gles,
        gpus.case_engines_copy_exactly_gles,
        cards.case_session_survives_card_removed_for_good,
    ],
    "planes": [
        planes.case_fullscreen_client_is_scanned_out_pixman,
        planes.case_fullscreen_client_is_scanned_out_gles,
        planes.case_subsurface_uses_overlay_pixman,
        planes.case_subsurface_uses_overlay_gles,
        planes.case_pool_is_scanned_out_pixman,
        planes.case_pool_is_scanned_out_gles,
        planes.case_pool_is_sampled_in_place,
        planes.case_cpu_composes_small_changes,
        planes.case_lease_ends_in_each_way,
    ],
    "linux-7.3": [
        linux73.case_screen_equals_screenshot,
        linux73.case_first_modeset_resets_colour_pipelines,
        linux73.case_subsurface_uses_overlay,
        linux73.case_card_of_configfs_comes_and_goes,
    ],
    "scenes": [
        scenes.case_random_scenes_equal_reference_pixman,
        scenes.case_random_scenes_equal_reference_gles,
    ],
}


# Limit of a case in seconds, longer than any wait in it: see checks.WAIT.
LIMIT = 600


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        return f"{error}\n"


def report_hang(name):
    """Prints the place of the runner and the processes of the guest with their kernel stacks, and exits."""
    print(f"FAILED {name}: not within {LIMIT} s", flush=True)
    for frame in sys._current_frames().values():
        traceback.print_stack(frame, file=sys.stdout)
    for folder in glob.glob("/proc/[0-9]*/task/[0-9]*"):
        command = read(f"{folder}/cmdline").replace("\0", " ")
        if command:
            print(f"{folder} {command}\n{read(f'{folder}/stack')}", end="", flush=True)
    os._exit(1)


def run(case):
    started = time.monotonic()
    name = case.__name__[len("case_"):]
    watchdog = threading.Timer(LIMIT, report_hang, [name])
    watchdog.daemon = True
    watchdog.start()
    try:
        case()
    except Failure as failure:
        print(f"FAILED {name}: {failure}", flush=True)
        return False
    except Exception:
        print(f"FAILED {name}:\n{traceback.format_exc()}", flush=True)
        return False
    finally:
        watchdog.cancel()
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
            print(f"FAILED: kernel of the guest: {line}")
            results.append(False)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed, 0 skipped", flush=True)
    sys.exit(0 if all(results) else 1)


main()

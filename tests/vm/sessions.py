# SPDX-License-Identifier: MIT
"""Cases of sessions: start and end, one screen, virtual terminals."""
import glob
import os
import random
import signal
import subprocess
import time

import devices
import images
import rig
import screens
from checks import WAIT, check, wait_for
from screen_checks import check_screen
from rig import Causeway

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def show_client(renderer):
    """Shows clients on the screen as in the screenshot."""
    with Causeway(renderer=renderer) as causeway:
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        causeway.start("foot", "-o", "cursor.blink=no", "-W", "30x8", "sh", "-c",
                       "seq 6; sleep 100")
        causeway.window("foot")
        causeway.clients[0].signal(signal.SIGSTOP)
        screen = check_screen(causeway, f"with {renderer}")
        check(images.colors(screen) > 8, "the screen is blank")
        output = list(causeway.outputs().values())[0]
        check(output["missed"] == 0, f"{output['missed']} frames failed")


def case_screen_equals_screenshot_pixman():
    show_client("pixman")


def case_screen_equals_screenshot_gles():
    show_client("gles")


def draw_reference(causeway):
    causeway.start(f"{rig.BUILD}/clients/demo-subsurfaces", "--static")
    causeway.window("demo-subsurfaces")
    # Hide the text cursor, whose shape depends on the keyboard focus, and the icon, which comes later.
    causeway.start("foot", "--app-id=plain-foot", "-W", "30x8", "sh", "-c",
                   "printf '\\033[?25l'; seq 6; sleep 100")
    causeway.window("plain-foot")
    causeway.wait_until_idle()


def reference(renderer, tolerance):
    """Compares the screen with a screenshot of a headless session."""
    plain = rig.without_text()
    with Causeway("--output=640x480", backend="headless", environment=plain) as causeway:
        draw_reference(causeway)
        wanted = causeway.screenshot()
    check(images.colors(wanted) > 8, "the reference is blank")
    with Causeway(renderer=renderer, environment=plain) as causeway:
        draw_reference(causeway)
        wait_for(lambda: images.distance(screens.screen(), wanted) <= tolerance,
                 "the screen equals the reference")


def case_screen_equals_headless_reference_pixman():
    reference("pixman", 0)


def case_screen_equals_headless_reference_gles():
    """Blending tolerates the difference between renderers (tests/shots)."""
    reference("gles", 2)


def case_default_backend_is_drm():
    """Without options, Causeway starts on the seat; --exit-with-child passes the exit code."""
    environment = dict(os.environ)
    environment.pop("WAYLAND_DISPLAY", None)
    done = subprocess.run([f"{rig.BUILD}/compositor/causeway", "--exit-with-child", "--",
                           "sh", "-c", "exit 7"], env=environment, capture_output=True, text=True,
                          timeout=WAIT, check=False)
    check(done.returncode == 7, f"exit code {done.returncode}: {done.stderr}")
    check("drm backend" in done.stderr, f"no DRM backend: {done.stderr}")


def case_login_script_ends_its_session():
    """The login script starts a session and ends it when terminated."""
    environment = dict(os.environ, PATH=f"{rig.BUILD}/compositor:{os.environ['PATH']}")
    environment.pop("WAYLAND_DISPLAY", None)
    with open(f"{rig.OUT}/session.log", "wb") as log:
        script = subprocess.Popen([f"{SOURCE}/data/scripts/causeway-session",
                                   "--socket=wl-session"],
                                  env=environment, stdout=log, stderr=log)
        path = f"{os.environ['XDG_RUNTIME_DIR']}/causeway-wl-session.ctl"
        wait_for(lambda: os.path.exists(path), "the session's control socket")
        script.terminate()
        check(script.wait(WAIT) == 0, f"the script ended with {script.returncode}")
    check(not os.path.exists(path), "Causeway did not end")


def case_second_session_on_seat_is_refused():
    with Causeway():
        done = subprocess.run([f"{rig.BUILD}/compositor/causeway", "--backend=drm"],
                              capture_output=True, text=True, timeout=WAIT, check=False)
        check(done.returncode == 1, f"the second session ended with {done.returncode}")
        check("another compositor holds the seat" in done.stderr and
              len(done.stderr.splitlines()) == 1, f"unexpected message: {done.stderr}")


def case_reload_changes_output():
    """Changes mode, scale and power of an output by reloading the configuration."""
    path = "/tmp/causeway.ini"

    def configure(text):
        with open(path, "w", encoding="ascii") as file:
            file.write(rig.PLAIN + text)
        causeway.control("reload")
        time.sleep(0.5)
        causeway.wait_until_idle()

    rig.write(path, rig.PLAIN)
    with Causeway(f"--config={path}") as causeway:
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        name = list(causeway.outputs())[0]
        causeway.clients[0].signal(signal.SIGSTOP)
        configure(f"[output {name}]\nmode = 800x600\nscale = 2\n")
        screen = check_screen(causeway, "scaled")
        check(screen[:2] == (800, 600), f"the screen is {screen[0]}x{screen[1]}")
        check(images.extents(screen)[2] >= 300, "the window is not scaled")
        configure(f"[output {name}]\nenabled = no\n")
        wait_for(lambda: not causeway.outputs()[name]["enabled"], "the output is disabled")

        def disabled():
            with open(f"/sys/class/drm/card0-{name}/enabled", encoding="ascii") as file:
                return file.read().strip() == "disabled"
        wait_for(disabled, "the connector is disabled")
        configure("")
        check_screen(causeway, "after the output was disabled")


def check_idle(causeway, when, most=2):
    """Waits until the compositor is idle."""
    def is_idle():
        before = causeway.wake_ups()
        time.sleep(3)
        return causeway.wake_ups() - before <= most
    wait_for(is_idle, f"no more than {most} wake-ups in 3 s {when}")


def case_frames_resume_after_terminal_switch():
    """Switches to another virtual terminal and back, fifty times at random moments of a frame, while
    clients draw."""
    terminal = rig.Terminal()
    home = terminal.active()
    other = 2 if home != 2 else 3
    with Causeway() as causeway:
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        causeway.start("weston-flower")
        causeway.window("flower")
        name = list(causeway.outputs())[0]
        moments = random.Random(1)
        for _ in range(50):
            shown = causeway.outputs()[name]["presented"]
            terminal.switch(other)
            time.sleep(moments.random() * 0.05)
            terminal.switch(home)
            wait_for(lambda: causeway.outputs()[name]["presented"] > shown + 1, "further frames")
            time.sleep(moments.random() * 0.03)
        causeway.clients[1].end()
        check(causeway.alive(), "the compositor ended")
        frames = list(causeway.outputs().values())[0]["frames"]
        wait_for(lambda: list(causeway.outputs().values())[0]["frames"] > frames + 5,
                 "further frames")
        causeway.clients[0].signal(signal.SIGSTOP)
        check_screen(causeway, "after the last return")
        check_idle(causeway, "with a still window")
        causeway.clients[0].signal(signal.SIGCONT)
        terminal.switch(other)
        causeway.wait_until_idle()
        # Hidden clients get one frame callback per second ([power] hidden-rate) and draw again.
        check_idle(causeway, "while inactive, with a client that draws", 12)
        causeway.clients[0].signal(signal.SIGSTOP)
        terminal.switch(home)
        check_screen(causeway, "after the return with a still window")


def case_frames_resume_after_revoked_master():
    """Takes DRM master rights during a frame without an event, and gives them back."""
    with Causeway() as causeway:
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        card = f"/dev/dri/{os.path.basename(glob.glob('/sys/class/drm/card[0-9]')[0])}"
        for _ in range(3):
            master = rig.Master(causeway.process.pid, card)
            master.take()
            time.sleep(1)
            check(causeway.alive(), "the compositor ended")
            size = os.path.getsize(causeway.path)
            time.sleep(1)
            check(os.path.getsize(causeway.path) - size < 2000, "the log grows")
            master.give_back()
            frames = list(causeway.outputs().values())[0]["presented"]
            wait_for(lambda: list(causeway.outputs().values())[0]["presented"] > frames + 5,
                     "further frames")
        causeway.clients[0].signal(signal.SIGSTOP)
        check_screen(causeway, "after master rights returned")


def case_binding_switches_virtual_terminal():
    """Ctrl+Alt+F2 switches the virtual terminal; keys typed there do not reach the session."""
    terminal = rig.Terminal()
    home = terminal.active()
    with devices.Keyboard() as keyboard, Causeway() as causeway:
        causeway.wait_input(keyboard)
        keyboard.press("LEFTCTRL", "LEFTALT", "F2")
        wait_for(lambda: terminal.active() == 2, "virtual terminal 2 is shown")
        keyboard.type("x")
        terminal.switch(home)
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")


def case_console_is_usable_after_exit():
    """The console is readable after SIGTERM, and after SIGKILL and a restart."""
    terminal = rig.Terminal()
    home = terminal.active()
    for kill in (False, True):
        causeway = Causeway()
        causeway.__enter__()
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        if kill:
            causeway.kill()
            for client in causeway.clients:
                client.end()
            with Causeway() as again:
                again.start("weston-simple-shm")
                again.window("simple-shm")
        else:
            causeway.__exit__(None, None, None)
        check(wait_for(lambda: terminal.is_text(home), "text mode"), "text mode")
        terminal.switch(2)
        terminal.switch(home)
        rig.write(f"/dev/tty{home}", "\033[2J\033[H")
        time.sleep(1)
        before = screens.screen()
        rig.write(f"/dev/tty{home}", "The console is usable.\n")
        wait_for(lambda: images.differences(before, screens.screen()) > 100,
                 "text on the console")


def case_copy_engines_are_exact():
    """The CPU and a Vulkan queue copy exactly between udmabufs."""
    check(os.path.exists("/dev/udmabuf"), "the kernel lacks udmabuf")
    done = subprocess.run([f"{rig.BUILD}/tests/unit/unit-copy-engine"], capture_output=True, text=True,
                          timeout=2 * WAIT)
    check(done.returncode == 0, f"{done.stdout}{done.stderr}")
    for engine in "cpu", "vulkan":
        check(f"skip: {engine}:" not in done.stdout + done.stderr, f"engine {engine} is missing")

"""Cases of a session: its start and its end, one screen, virtual terminals."""
import glob
import os
import random
import signal
import subprocess
import time

import devices
import pictures
import rig
import screens
from checks import WAIT, check, wait_for
from looks import check_screen
from rig import Causeway

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def show_client(renderer):
    """A client's picture is on the screen as it is in the screenshot."""
    with Causeway(renderer=renderer) as causeway:
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        causeway.start("foot", "-o", "cursor.blink=no", "-W", "30x8", "sh", "-c",
                       "seq 6; sleep 100")
        causeway.window("foot")
        causeway.clients[0].signal(signal.SIGSTOP)
        screen = check_screen(causeway, f"with {renderer}")
        check(pictures.colors(screen) > 8, "the screen is blank")
        output = list(causeway.outputs().values())[0]
        check(output["missed"] == 0, f"{output['missed']} frames failed")


def case_pixman():
    show_client("pixman")


def case_gles():
    show_client("gles")


def draw_reference(causeway):
    causeway.start(f"{rig.BUILD}/clients/demo-subsurfaces", "--static")
    causeway.window("demo-subsurfaces")
    # Without a cursor, whose look is another one where no keyboard is.
    causeway.start("foot", "-W", "30x8", "sh", "-c", "printf '\\033[?25l'; seq 6; sleep 100")
    causeway.window("foot")
    causeway.settle()


def reference(renderer, tolerance):
    """What is on the connector is the picture that a session without any screen makes of the scene."""
    with Causeway("--output=640x480", backend="headless") as causeway:
        draw_reference(causeway)
        wanted = causeway.screenshot()
    check(pictures.colors(wanted) > 8, "the reference is blank")
    with Causeway(renderer=renderer) as causeway:
        draw_reference(causeway)
        wait_for(lambda: pictures.distance(screens.screen(), wanted) <= tolerance,
                 "the pictures are the same")


def case_reference_pixman():
    reference("pixman", 0)


def case_reference_gles():
    """What is blended may be off by as much as renderers may (tests/shots)."""
    reference("gles", 2)


def case_auto():
    """With nothing said, it is a session on the seat, and ends with its child."""
    environment = dict(os.environ)
    environment.pop("WAYLAND_DISPLAY", None)
    done = subprocess.run([f"{rig.BUILD}/compositor/causeway", "--exit-with-child", "--",
                           "sh", "-c", "exit 7"], env=environment, capture_output=True, text=True,
                          timeout=WAIT, check=False)
    check(done.returncode == 7, f"exit code {done.returncode}: {done.stderr}")
    check("drm backend" in done.stderr, f"it is no session: {done.stderr}")


def case_session():
    """The script for logins starts a session, and ends it with itself."""
    environment = dict(os.environ, PATH=f"{rig.BUILD}/compositor:{os.environ['PATH']}")
    environment.pop("WAYLAND_DISPLAY", None)
    with open(f"{rig.OUT}/session.log", "wb") as log:
        script = subprocess.Popen([f"{SOURCE}/data/scripts/causeway-session",
                                   "--socket=wl-session"],
                                  env=environment, stdout=log, stderr=log)
        path = f"{os.environ['XDG_RUNTIME_DIR']}/causeway-wl-session.ctl"
        wait_for(lambda: os.path.exists(path), "the session is up")
        script.terminate()
        check(script.wait(WAIT) == 0, f"the script ended with {script.returncode}")
    check(not os.path.exists(path), "Causeway did not end")


def case_seat_is_held():
    with Causeway():
        done = subprocess.run([f"{rig.BUILD}/compositor/causeway", "--backend=drm"],
                              capture_output=True, text=True, timeout=WAIT, check=False)
        check(done.returncode == 1, f"the second one ended with {done.returncode}")
        check("another compositor holds the seat" in done.stderr and
              len(done.stderr.splitlines()) == 1, f"it says: {done.stderr}")


def case_config():
    """Another mode and scale, off and on again, by reloading the configuration."""
    path = "/tmp/causeway.ini"

    def configure(text):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        causeway.control("reload")
        time.sleep(0.5)
        causeway.settle()

    open(path, "w", encoding="ascii").close()
    with Causeway(f"--config={path}") as causeway:
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        name = list(causeway.outputs())[0]
        causeway.clients[0].signal(signal.SIGSTOP)
        configure(f"[output {name}]\nmode = 800x600\nscale = 2\n")
        screen = check_screen(causeway, "scaled")
        check(screen[:2] == (800, 600), f"the screen is {screen[0]}x{screen[1]}")
        check(pictures.extents(screen)[2] >= 300, "nothing is scaled")
        configure(f"[output {name}]\nenabled = no\n")
        wait_for(lambda: not causeway.outputs()[name]["enabled"], "it is off")

        def disabled():
            with open(f"/sys/class/drm/card0-{name}/enabled", encoding="ascii") as file:
                return file.read().strip() == "disabled"
        wait_for(disabled, "the kernel says that it is off")
        configure("")
        check_screen(causeway, "after it was off")


def check_idle(causeway, when, most=2):
    """Once what was begun has come to its end."""
    def rests():
        before = causeway.wake_ups()
        time.sleep(3)
        return causeway.wake_ups() - before <= most
    wait_for(rests, f"no more than {most} wake-ups in 3 s {when}")


def case_vt():
    """Away to another virtual terminal and back, fifty times, with clients that draw: whatever the
    moment of a frame that it happens in."""
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
            wait_for(lambda: causeway.outputs()[name]["presented"] > shown + 1, "frames go on")
            time.sleep(moments.random() * 0.03)
        causeway.clients[1].end()
        check(causeway.alive(), "it ended")
        frames = list(causeway.outputs().values())[0]["frames"]
        wait_for(lambda: list(causeway.outputs().values())[0]["frames"] > frames + 5,
                 "frames go on")
        causeway.clients[0].signal(signal.SIGSTOP)
        check_screen(causeway, "after the last return")
        check_idle(causeway, "with a still picture")
        causeway.clients[0].signal(signal.SIGCONT)
        terminal.switch(other)
        causeway.settle()
        # Who cannot be seen may draw once a second ([power] hidden-rate): called, it comes back.
        check_idle(causeway, "away, with a client that wants to draw", 12)
        causeway.clients[0].signal(signal.SIGSTOP)
        terminal.switch(home)
        check_screen(causeway, "after the return of a still picture")


def case_revoked():
    """The right to show anything is gone in the middle of a frame, without a word; then it is back."""
    with Causeway() as causeway:
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        card = f"/dev/dri/{os.path.basename(glob.glob('/sys/class/drm/card[0-9]')[0])}"
        for _ in range(3):
            master = rig.Master(causeway.process.pid, card)
            master.take()
            time.sleep(1)
            check(causeway.alive(), "it ended")
            size = os.path.getsize(causeway.path)
            time.sleep(1)
            check(os.path.getsize(causeway.path) - size < 2000, "it fills its log")
            master.give_back()
            frames = list(causeway.outputs().values())[0]["presented"]
            wait_for(lambda: list(causeway.outputs().values())[0]["presented"] > frames + 5,
                     "frames go on")
        causeway.clients[0].signal(signal.SIGSTOP)
        check_screen(causeway, "after the right was gone")


def case_vt_keys():
    """Ctrl+Alt+F2 goes to another virtual terminal; keys typed there are not ours."""
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


def case_console():
    """After SIGTERM, and after SIGKILL and a restart, the console can be read."""
    terminal = rig.Terminal()
    home = terminal.active()
    for kill in (False, True):
        causeway = Causeway()
        causeway.__enter__()
        causeway.start("weston-simple-shm")
        causeway.window("simple-shm")
        if kill:
            causeway.process.kill()
            causeway.process.wait()
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
        wait_for(lambda: pictures.differences(before, screens.screen()) > 100,
                 "text on the console is shown")


def case_copy_engines():
    """The CPU and a Vulkan queue copy between dma-bufs of the kernel's, exactly."""
    check(os.path.exists("/dev/udmabuf"), "the kernel makes no dma-bufs of memory")
    done = subprocess.run([f"{rig.BUILD}/tests/unit/unit-copy_engine"], capture_output=True, text=True,
                          timeout=10 * WAIT)
    check(done.returncode == 0, f"{done.stdout}{done.stderr}")
    for engine in "cpu", "vulkan":
        check(f"skip: {engine}:" not in done.stdout + done.stderr, f"there is no {engine}")

# SPDX-License-Identifier: MIT
"""Cases of input devices and the clients that receive their events."""
import os
import re
import time

import devices
import images
import rig
import screens
from checks import check, wait_for
from screen_checks import cursor_places
from rig import Causeway


def type_line(causeway, keyboard, line, arrives=None):
    """Types a line in a new terminal; it must arrive as `arrives` with another layout."""
    path = "/tmp/typed"
    if os.path.exists(path):
        os.unlink(path)

    def windows():
        return sum(bool(surface.get("shown")) for surface in causeway.surfaces())

    before = windows()
    causeway.start("foot", "sh", "-c", f"read line; echo \"$line\" >{path}; sleep 100")
    wait_for(lambda: windows() > before, "another window is shown")
    causeway.wait_until_idle()
    causeway.wait_input(keyboard)
    keyboard.type(f"{line}\n")
    wait_for(lambda: os.path.exists(path) and os.path.getsize(path), "the typed line arrives")
    with open(path, encoding="utf-8") as file:
        arrived = file.read()
    check(arrived == f"{arrives or line}\n", f"{arrived!r} arrived")


def case_typed_keys_and_bindings_arrive():
    """Typed keys arrive in a client, and a key binding works."""
    with devices.Keyboard() as keyboard, Causeway() as causeway:
        type_line(causeway, keyboard, "hello - world")
        keyboard.press("LEFTMETA", "Q")
        wait_for(lambda: not causeway.surfaces(), "Super+Q closes the window")
        # A device connected while the session runs.
        with devices.Keyboard("late keyboard") as late:
            type_line(causeway, late, "late")


def case_cursor_plane_follows_pointer():
    """The cursor plane follows the pointer and is disabled with its device."""
    with Causeway(environment=rig.without_text()) as causeway:
        # A window without an icon, which would come later than the screenshot.
        causeway.start("foot", "--app-id=plain-foot", "-o", "cursor.blink=no", "-W", "30x8", "sleep", "100")
        causeway.window("plain-foot")
        causeway.wait_until_idle()
        before = causeway.screenshot()
        with devices.Tablet() as tablet:
            causeway.wait_input(tablet)
            for x, y in ((64, 48), (576, 432)):
                tablet.move(x / 640, y / 480)
                wait_for(lambda: [cursor for cursor in cursor_places(0)
                                  if abs(cursor[0] - x) < 32 and abs(cursor[1] - y) < 32],
                         f"the pointer is at {x},{y}")
            causeway.wait_until_idle()
            # The host draws the cursor plane, so neither screen nor screenshot contain it.
            check(images.differences(screens.screen(), before) == 0, "the cursor was composed")
            check(len(cursor_places(0)) == 1, f"{screens.planes(0)}")
        wait_for(lambda: not cursor_places(0), "the cursor is hidden without a pointer")


def case_touchpad_taps_scrolls_and_swipes():
    """Taps, scrolls and swipes on a touch pad, with default and changed configuration."""
    path = "/tmp/causeway.ini"
    open(path, "w", encoding="ascii").close()
    with devices.TouchPad() as pad, Causeway(f"--config={path}") as causeway, \
            rig.Listener(causeway) as window:
        causeway.wait_input(pad)
        window.wait(r"wl_pointer.enter", "the pointer is over the window")
        # Retry, since a tap that a slow guest delays is none.
        wait_for(lambda: pad.tap() or window.count_of(r"wl_pointer.button \d+ \d+ 272 1"),
                 "a tap clicks")
        window.wait(r"wl_pointer.button \d+ \d+ 272 0", "the click ends")
        pad.slide(2, 0, 600)
        window.wait(r"wl_pointer.axis_source 1$", "two fingers scroll")
        window.wait(r"wl_pointer.axis \d+ 0 [0-9]", "scrolling down")
        window.wait(r"wl_pointer.axis_stop \d+ 0", "the end of scrolling")
        pad.slide(3, 900, 0)
        window.wait(r"gesture_swipe_v1.begin \d+ \d+ 3", "three fingers swipe")
        window.wait(r"gesture_swipe_v1.update \d+ [0-9]", "swiping right")
        window.wait(r"gesture_swipe_v1.end \d+ \d+ 0", "the end of the swipe")
        with open(path, "w", encoding="ascii") as file:
            file.write("[input type:touchpad]\ntap = no\nnatural-scroll = yes\n")
        causeway.control("reload")
        window.forget()
        pad.tap()
        pad.slide(2, 0, 600)
        window.wait(r"wl_pointer.axis \d+ 0 -", "natural scrolling")
        check(not window.count_of("wl_pointer.button"), "a tap clicks although it is disabled")


def case_high_resolution_wheels_arrive():
    """Motion, and both wheels at once by less than a detent."""
    with devices.Mouse() as mouse, Causeway() as causeway, rig.Listener(causeway) as window:
        causeway.wait_input(mouse)
        window.wait(r"wl_pointer.enter", "the pointer is over the window")
        mouse.move(REL_X=10, REL_Y=-10)
        window.wait(r"wl_pointer.motion", "pointer motion")
        time.sleep(0.3)
        window.forget()
        for _ in range(4):
            mouse.move(REL_WHEEL_HI_RES=-60, REL_HWHEEL_HI_RES=60)
        window.wait(r"wl_pointer.axis_value120 0 60$", "half a detent down")
        window.wait(r"wl_pointer.axis_value120 1 60$", "half a detent to the right")
        window.wait(r"wl_pointer.axis_source 0$", "wheel as source")
        both = [event for event in window.events() if "value120" in event or "frame" in event]
        check("wl_pointer.axis_value120 0 60 wl_pointer.axis_value120 1 60 wl_pointer.frame"
              in " ".join(both), f"both axes are not in one frame: {both}")


def case_pen_events_arrive():
    """A pen sends all events of a stroke to a client."""
    with Causeway() as causeway, rig.Listener(causeway) as window:
        window.wait("xdg_surface.configure", "the window is configured")
        with devices.Pen() as pen:
            causeway.wait_input(pen)
            window.wait("zwp_tablet_v2.name test pen tablet", "the tablet is announced")
            pen.draw(0.5, 0.5)
            for event in (r"type 320", r"capability 2", r"proximity_in", r"motion \d", r"down \d",
                          r"pressure 6\d{4}", r"button \d+ 331 1", r"button \d+ 331 0", r"up",
                          r"proximity_out"):
                window.wait(f"zwp_tablet_tool_v2.{event}", "the event of the tablet tool")
        window.wait("zwp_tablet_v2.removed", "the tablet is removed")


def case_closed_lid_runs_command():
    """Closing the lid runs the configured command."""
    path, closed = "/tmp/causeway.ini", "/tmp/lid-closed"
    with open(path, "w", encoding="ascii") as file:
        file.write(f"[switches]\nlid-closed = spawn touch {closed}\n")
    with devices.Lid() as lid, Causeway(f"--config={path}") as causeway:
        causeway.wait_input(lid)
        lid.set(SW_LID=1)
        wait_for(lambda: os.path.exists(closed), "the command runs")
        lid.set(SW_LID=0)


def case_keyboards_have_separate_layouts():
    """Two keyboards with separate layouts, changed by a reload."""
    path = "/tmp/causeway.ini"
    with open(path, "w", encoding="ascii") as file:
        file.write("[input german*]\nlayout = de\n")
    with devices.Keyboard("german keyboard") as german, devices.Keyboard() as usual, \
            Causeway(f"--config={path}") as causeway:
        type_line(causeway, german, "yes", "zes")
        type_line(causeway, usual, "yes")
        usual.press("CAPSLOCK")
        wait_for(lambda: usual.led("CAPSL") and german.led("CAPSL"), "Caps Lock LEDs are on")
        # Caps Lock belongs to a layout; all keyboards show the state of the active one.
        german.press("LEFTSHIFT")
        wait_for(lambda: not usual.led("CAPSL") and not german.led("CAPSL"), "Caps Lock LEDs are off with the German layout")
        usual.press("CAPSLOCK")
        wait_for(lambda: not usual.led("CAPSL"), "Caps Lock LED is off")
        with open(path, "w", encoding="ascii") as file:
            file.write("[input test*]\nlayout = de\n")
        causeway.control("reload")
        type_line(causeway, german, "yes")
        type_line(causeway, usual, "yes", "zes")


def case_removed_device_releases_its_keys():
    """Removing devices in use releases their keys; other devices keep theirs."""
    with devices.Keyboard() as keyboard, Causeway() as causeway, rig.Listener(causeway) as window:
        causeway.wait_input(keyboard)
        window.wait("wl_keyboard.enter", "the window has the keyboard")
        keyboard.set("A", 1)
        key_b = r"wl_keyboard.key \d+ \d+ 48 1"
        for turn in range(1, 7):
            with devices.Keyboard("passing keyboard") as other, devices.TouchPad("passing pad") as pad, \
                    devices.Pen("passing tablet") as pen:
                causeway.wait_input(other, pad, pen)
                other.set("B", 1)
                pad.put(2, fresh=True)
                pen.set(ABS_X=10000, ABS_Y=6000, BTN_TOOL_PEN=1)
                pen.set(BTN_TOUCH=1, ABS_PRESSURE=1900)
                wait_for(lambda: window.count_of(key_b) == turn and
                         window.count_of("tool_v2.proximity_in") == turn, "B and the pen arrive")
        keyboard.set("A", 0)
        window.wait(r"wl_keyboard.key \d+ \d+ 30 0", "A is released")
        for code in (30, 48):
            downs = window.count_of(rf"wl_keyboard.key \d+ \d+ {code} 1")
            ups = window.count_of(rf"wl_keyboard.key \d+ \d+ {code} 0")
            check(downs == ups == (1 if code == 30 else 6), f"key {code}: {downs} down, {ups} up")
        entered, left = window.count_of("tool_v2.proximity_in"), window.count_of(
            "tool_v2.proximity_out")
        check(entered == left == 6, f"{entered} proximity_in and {left} proximity_out events")
        check(causeway.alive(), "the compositor ended")


INPUT = (r"wl_pointer\.|wl_keyboard\.(enter|key|modifiers) |wl_touch\.|gesture_|"
         r"tablet_tool_v2\.(proximity_in|down|motion|button)|tablet_pad_v2\.")


def use_all(keyboard, pointer, pad, pen):
    keyboard.press("A")
    pointer.move(0.3, 0.3)
    pointer.move(0.6, 0.6)
    pointer.click()
    pad.tap()
    pad.slide(3, 900, 0)
    pen.draw(0.4, 0.4)


def check_color(color, what):
    """Waits until the whole screen except the cursor has the color."""
    def is_there():
        pixels = screens.screen()[2]
        return len(pixels) // 3 - pixels.count(color) < 64 * 64
    wait_for(is_there, f"the screen shows {what}")


def case_locked_session_receives_no_input():
    """A locked session stays locked for all input devices, across virtual terminals, and when its lock
    client is killed."""
    terminal = rig.Terminal()
    home = terminal.active()
    other = 2 if home != 2 else 3
    blue, black, green = b"\0\0\xff", b"\0\0\0", b"\0\xff\0"
    with devices.Keyboard() as keyboard, devices.Tablet() as pointer, devices.TouchPad() as pad, \
            devices.Pen() as pen, Causeway() as causeway, rig.Listener(causeway) as window:
        used = keyboard, pointer, pad, pen
        causeway.wait_input(*used)
        window.wait("wl_keyboard.enter", "the window has the keyboard")
        use_all(*used)
        window.wait(r"wl_keyboard.key", "keys arrive")
        window.wait(r"gesture_swipe_v1.end", "swipes arrive")
        window.wait(r"tool_v2.proximity_out", "the pen arrives")
        check_color(green, "the window")
        with rig.Listener(causeway, "lock") as locker:
            locker.wait("lock_v1.locked", "the session is locked")
            window.forget()
            check_color(blue, "the lock")
            use_all(*used)
            locker.wait(r"wl_keyboard.key", "keys reach the lock client")
            locker.wait(r"tool_v2.proximity_out", "the pen reaches the lock client")
            for _ in range(3):
                terminal.switch(other)
                time.sleep(0.2)
                terminal.switch(home)
                check_color(blue, "the lock after the return")
            causeway.wait_input(*used)
            use_all(*used)
        check_color(black, "black without a lock client")
        use_all(*used)
        check(not window.count_of(INPUT),
              f"the window got {[line for line in window.events() if re.search(INPUT, line)][:5]}")
        with rig.Listener(causeway, "lock") as locker:
            locker.wait("lock_v1.locked", "another lock client takes over")
            check_color(blue, "the lock")
            locker.process.stdin.close()
            window.wait("wl_keyboard.enter", "the window has the keyboard again")
        check_color(green, "the window again")
        use_all(*used)
        window.wait(r"wl_keyboard.key", "keys arrive again")

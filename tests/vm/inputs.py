"""Cases of keyboards, pointers, touch pads, pens, lids, and who gets what they do."""
import os
import re
import time

import devices
import pictures
import rig
import screens
from checks import check, wait_for
from looks import cursor_places
from rig import Causeway


def type_line(causeway, keyboard, line, arrives=None):
    """A line typed in a terminal arrives there, as `arrives` where the keyboard has other keys."""
    path = "/tmp/typed"
    if os.path.exists(path):
        os.unlink(path)

    def windows():
        return sum(bool(surface.get("shown")) for surface in causeway.surfaces())

    before = windows()
    causeway.start("foot", "sh", "-c", f"read line; echo \"$line\" >{path}; sleep 100")
    wait_for(lambda: windows() > before, "another window shows")
    causeway.settle()
    causeway.wait_input(keyboard)
    keyboard.type(f"{line}\n")
    wait_for(lambda: os.path.exists(path) and os.path.getsize(path), "a line arrives")
    with open(path, encoding="utf-8") as file:
        arrived = file.read()
    check(arrived == f"{arrives or line}\n", f"what arrived is {arrived!r}")


def case_keys():
    """Typed keys arrive in a client, and a chord of the configuration works."""
    with devices.Keyboard() as keyboard, Causeway() as causeway:
        type_line(causeway, keyboard, "hello - world")
        keyboard.press("LEFTMETA", "Q")
        wait_for(lambda: not causeway.surfaces(), "Super+Q closes the window")
        # A device that comes while the session runs.
        with devices.Keyboard("late keyboard") as late:
            type_line(causeway, late, "late")


def case_pointer():
    """The pointer moves, and a click on a window takes it."""
    with Causeway() as causeway:
        causeway.start("foot", "-o", "cursor.blink=no", "-W", "30x8", "sleep", "100")
        causeway.window("foot")
        causeway.settle()
        before = causeway.screenshot()
        with devices.Tablet() as tablet:
            causeway.wait_input(tablet)
            for x, y in ((64, 48), (576, 432)):
                tablet.move(x / 640, y / 480)
                wait_for(lambda: [cursor for cursor in cursor_places(0)
                                  if abs(cursor[0] - x) < 32 and abs(cursor[1] - y) < 32],
                         f"the pointer is at {x},{y}")
            causeway.settle()
            # On a plane, where the host draws it: neither screen nor screenshot have it.
            check(pictures.differences(screens.screen(), before) == 0, "something was drawn")
            check(len(cursor_places(0)) == 1, f"{screens.planes(0)}")
        wait_for(lambda: not cursor_places(0), "the pointer goes with its device")


def case_touchpad():
    """Taps, scrolling and swipes of a touch pad, and what the configuration makes of them."""
    path = "/tmp/causeway.ini"
    open(path, "w", encoding="ascii").close()
    with devices.TouchPad() as pad, Causeway(f"--config={path}") as causeway, \
            rig.Listener(causeway) as window:
        causeway.wait_input(pad)
        window.wait(r"wl_pointer.enter", "the pointer is over the window")
        # A slow one is no tap: tried again, for the guest may be slow.
        wait_for(lambda: pad.tap() or window.count_of(r"wl_pointer.button \d+ \d+ 272 1"),
                 "a tap is a click")
        window.wait(r"wl_pointer.button \d+ \d+ 272 0", "the click ends")
        pad.slide(2, 0, 600)
        window.wait(r"wl_pointer.axis_source 1$", "two fingers scroll")
        window.wait(r"wl_pointer.axis \d+ 0 [0-9]", "in their direction")
        window.wait(r"wl_pointer.axis_stop \d+ 0", "and stop")
        pad.slide(3, 900, 0)
        window.wait(r"gesture_swipe_v1.begin \d+ \d+ 3", "three fingers swipe")
        window.wait(r"gesture_swipe_v1.update \d+ [0-9]", "to the right")
        window.wait(r"gesture_swipe_v1.end \d+ \d+ 0", "and end")
        with open(path, "w", encoding="ascii") as file:
            file.write("[input type:touchpad]\ntap = no\nnatural-scroll = yes\n")
        causeway.control("reload")
        window.forget()
        pad.tap()
        pad.slide(2, 0, 600)
        window.wait(r"wl_pointer.axis \d+ 0 -", "the other direction")
        check(not window.count_of("wl_pointer.button"), "a tap is a click all the same")


def case_mouse():
    """Motion, and a wheel that turns by less than a detent, both ways at once."""
    with devices.Mouse() as mouse, Causeway() as causeway, rig.Listener(causeway) as window:
        causeway.wait_input(mouse)
        window.wait(r"wl_pointer.enter", "the pointer is over the window")
        mouse.move(REL_X=10, REL_Y=-10)
        window.wait(r"wl_pointer.motion", "it moves")
        time.sleep(0.3)
        window.forget()
        for _ in range(4):
            mouse.move(REL_WHEEL_HI_RES=-60, REL_HWHEEL_HI_RES=60)
        window.wait(r"wl_pointer.axis_value120 0 60$", "half a detent down")
        window.wait(r"wl_pointer.axis_value120 1 60$", "half a detent to the right")
        window.wait(r"wl_pointer.axis_source 0$", "by a wheel")
        both = [event for event in window.events() if "value120" in event or "frame" in event]
        check("wl_pointer.axis_value120 0 60 wl_pointer.axis_value120 1 60 wl_pointer.frame"
              in " ".join(both), f"both are one group: {both}")


def case_pen():
    """A pen draws in a client that knows tablets."""
    with Causeway() as causeway, rig.Listener(causeway) as window:
        window.wait("xdg_surface.configure", "the window shows")
        with devices.Pen() as pen:
            causeway.wait_input(pen)
            window.wait("zwp_tablet_v2.name test pen tablet", "the tablet is announced")
            pen.draw(0.5, 0.5)
            for event in (r"type 320", r"capability 2", r"proximity_in", r"motion \d", r"down \d",
                          r"pressure 6\d{4}", r"button \d+ 331 1", r"button \d+ 331 0", r"up",
                          r"proximity_out"):
                window.wait(f"zwp_tablet_tool_v2.{event}", f"the pen's {event}")
        window.wait("zwp_tablet_v2.removed", "the tablet goes")


def case_lid():
    """What the configuration has for the lid happens."""
    path, closed = "/tmp/causeway.ini", "/tmp/lid-closed"
    with open(path, "w", encoding="ascii") as file:
        file.write(f"[switches]\nlid-closed = spawn touch {closed}\n")
    with devices.Lid() as lid, Causeway(f"--config={path}") as causeway:
        causeway.wait_input(lid)
        lid.set(SW_LID=1)
        wait_for(lambda: os.path.exists(closed), "the command runs")
        lid.set(SW_LID=0)


def case_layouts():
    """Two keyboards with layouts of their own, changed by a reload."""
    path = "/tmp/causeway.ini"
    with open(path, "w", encoding="ascii") as file:
        file.write("[input german*]\nlayout = de\n")
    with devices.Keyboard("german keyboard") as german, devices.Keyboard() as usual, \
            Causeway(f"--config={path}") as causeway:
        type_line(causeway, german, "yes", "zes")
        type_line(causeway, usual, "yes")
        usual.press("CAPSLOCK")
        wait_for(lambda: usual.light("CAPSL") and german.light("CAPSL"), "keyboards show Caps Lock")
        # Each layout has its own, and all keyboards show that of the one that is used.
        german.press("LEFTSHIFT")
        wait_for(lambda: not usual.light("CAPSL") and not german.light("CAPSL"), "it is not German")
        usual.press("CAPSLOCK")
        wait_for(lambda: not usual.light("CAPSL"), "Caps Lock is off")
        with open(path, "w", encoding="ascii") as file:
            file.write("[input test*]\nlayout = de\n")
        causeway.control("reload")
        type_line(causeway, german, "yes")
        type_line(causeway, usual, "yes", "zes")


def case_hotplug():
    """Devices come and go while they are used: nothing stays down, and nothing is lost."""
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
        window.wait(r"wl_keyboard.key \d+ \d+ 30 0", "A is let go of")
        for code in (30, 48):
            downs = window.count_of(rf"wl_keyboard.key \d+ \d+ {code} 1")
            ups = window.count_of(rf"wl_keyboard.key \d+ \d+ {code} 0")
            check(downs == ups == (1 if code == 30 else 6), f"key {code}: {downs} down, {ups} up")
        comes, goes = window.count_of("tool_v2.proximity_in"), window.count_of(
            "tool_v2.proximity_out")
        check(comes == goes == 6, f"the pen came {comes} times and went {goes} times")
        check(causeway.alive(), "it ended")


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
    """The screen has it, but for the pointer."""
    def is_there():
        pixels = screens.screen()[2]
        return len(pixels) // 3 - pixels.count(color) < 64 * 64
    wait_for(is_there, f"the screen shows {what}")


def case_lock():
    """Locked is locked: for keyboard, pointer, touch pad and pen, over virtual terminals, and when the
    locker is killed."""
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
            locker.wait("lock_v1.locked", "it is locked")
            window.forget()
            check_color(blue, "the lock")
            use_all(*used)
            locker.wait(r"wl_keyboard.key", "the locker gets keys")
            locker.wait(r"tool_v2.proximity_out", "the locker gets the pen")
            for _ in range(3):
                terminal.switch(other)
                time.sleep(0.2)
                terminal.switch(home)
                check_color(blue, "the lock after the return")
            causeway.wait_input(*used)
            use_all(*used)
        check_color(black, "nothing without the locker")
        use_all(*used)
        check(not window.count_of(INPUT),
              f"the window got {[line for line in window.events() if re.search(INPUT, line)][:5]}")
        with rig.Listener(causeway, "lock") as locker:
            locker.wait("lock_v1.locked", "another locker takes over")
            check_color(blue, "the lock")
            locker.process.stdin.close()
            window.wait("wl_keyboard.enter", "the window has the keyboard again")
        check_color(green, "the window again")
        use_all(*used)
        window.wait(r"wl_keyboard.key", "keys arrive again")

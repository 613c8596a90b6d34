# SPDX-License-Identifier: MIT
"""Virtual input devices by uinput: keyboard, pointers, touch pad, pen and lid switch."""
import os
import struct
import time


class Keyboard:
    """Keyboard with LEDs."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def __init__(self, name="test keyboard"):
        from evdev import UInput, ecodes
        self.codes = ecodes
        self.device = UInput({ecodes.EV_KEY: list(range(1, 128)),
                              ecodes.EV_LED: [ecodes.LED_NUML, ecodes.LED_CAPSL]}, name=name)
        self.name = name
        os.set_blocking(self.device.fd, False)
        self.leds = {}

    def set(self, name, down):
        self.device.write(self.codes.EV_KEY, self.codes.ecodes[f"KEY_{name}"], down)
        self.device.syn()

    def press(self, *names):
        """Presses keys in order and releases them in reverse."""
        for name in names:
            self.set(name, 1)
        for name in reversed(names):
            self.set(name, 0)

    def led(self, name):
        """Returns whether the LED is on."""
        size = struct.calcsize("llHHi")
        try:
            while True:
                _, _, kind, code, value = struct.unpack("llHHi", os.read(self.device.fd, size))
                if kind == self.codes.EV_LED:
                    self.leds[code] = value
        except BlockingIOError:
            pass
        return bool(self.leds.get(self.codes.ecodes[f"LED_{name}"]))

    def type(self, text):
        special = {"\n": "ENTER", " ": "SPACE", "-": "MINUS"}
        for character in text:
            self.press(special.get(character, character.upper()))

    def close(self):
        self.device.close()


class Tablet:
    """Absolute pointer with positions from 0 to 1 across the layout."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def __init__(self):
        from evdev import AbsInfo, UInput, ecodes
        self.codes = ecodes
        axis = AbsInfo(value=0, min=0, max=10000, fuzz=0, flat=0, resolution=0)
        self.device = UInput({
            ecodes.EV_KEY: [ecodes.BTN_LEFT, ecodes.BTN_RIGHT, ecodes.BTN_MIDDLE],
            ecodes.EV_ABS: [(ecodes.ABS_X, axis), (ecodes.ABS_Y, axis)],
            ecodes.EV_REL: [ecodes.REL_WHEEL],
        }, name="test tablet")
        self.name = "test tablet"

    def move(self, x, y):
        self.device.write(self.codes.EV_ABS, self.codes.ABS_X, int(x * 10000))
        self.device.write(self.codes.EV_ABS, self.codes.ABS_Y, int(y * 10000))
        self.device.syn()

    def drag(self, start, end):
        self.move(*start)
        time.sleep(0.3)
        self.device.write(self.codes.EV_KEY, self.codes.BTN_LEFT, 1)
        self.device.syn()
        for step in range(1, 11):
            self.move(*(a + (b - a) * step / 10 for a, b in zip(start, end)))
            time.sleep(0.05)
        self.device.write(self.codes.EV_KEY, self.codes.BTN_LEFT, 0)
        self.device.syn()

    def click(self):
        for value in (1, 0):
            self.device.write(self.codes.EV_KEY, self.codes.BTN_LEFT, value)
            self.device.syn()

    def close(self):
        self.device.close()


class Device:
    """Device with keys, absolute axes and switches."""

    def __init__(self, name, keys, axes, switches=(), properties=()):
        from evdev import AbsInfo, UInput, ecodes
        self.codes = ecodes
        self.name = name
        events = {ecodes.EV_KEY: [ecodes.ecodes[key] for key in keys],
                  ecodes.EV_ABS: [(ecodes.ecodes[axis], AbsInfo(0, 0, most, 0, 0, resolution))
                                  for axis, most, resolution in axes],
                  ecodes.EV_SW: [ecodes.ecodes[switch] for switch in switches]}
        self.device = UInput({kind: codes for kind, codes in events.items() if codes}, name=name,
                             input_props=[ecodes.ecodes[each] for each in properties])

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.device.close()

    def set(self, **values):
        """Sets keys, axes and switches by name, as one group of events."""
        for name, value in values.items():
            kind = {"BTN": self.codes.EV_KEY, "KEY": self.codes.EV_KEY, "SW": self.codes.EV_SW,
                    "ABS": self.codes.EV_ABS}[name.split("_")[0]]
            self.device.write(kind, self.codes.ecodes[name], value)
        self.device.syn()


class TouchPad(Device):
    """Touch pad of 100 by 60 mm."""

    def __init__(self, name="test touch pad"):
        super().__init__(
            name, ["BTN_LEFT", "BTN_TOUCH", "BTN_TOOL_FINGER", "BTN_TOOL_DOUBLETAP",
                   "BTN_TOOL_TRIPLETAP"],
            [("ABS_X", 4000, 40), ("ABS_Y", 2400, 40), ("ABS_MT_SLOT", 4, 0),
             ("ABS_MT_TRACKING_ID", 65535, 0), ("ABS_MT_POSITION_X", 4000, 40),
             ("ABS_MT_POSITION_Y", 2400, 40)],
            properties=["INPUT_PROP_POINTER", "INPUT_PROP_BUTTONPAD"])
        self.next_id = 1

    def put(self, fingers, dx=0, dy=0, fresh=False):
        """Puts fingers at an offset from the center; `fresh` ones have new tracking ids."""
        write = self.device.write
        for slot in range(fingers):
            write(self.codes.EV_ABS, self.codes.ABS_MT_SLOT, slot)
            if fresh:
                write(self.codes.EV_ABS, self.codes.ABS_MT_TRACKING_ID, self.next_id)
                self.next_id += 1
            write(self.codes.EV_ABS, self.codes.ABS_MT_POSITION_X, 1400 + 600 * slot + dx)
            write(self.codes.EV_ABS, self.codes.ABS_MT_POSITION_Y, 1200 + dy)
        tool = ["BTN_TOOL_FINGER", "BTN_TOOL_DOUBLETAP", "BTN_TOOL_TRIPLETAP"][fingers - 1]
        self.set(BTN_TOUCH=1, ABS_X=1400 + dx, ABS_Y=1200 + dy, **{tool: 1})

    def lift(self, fingers):
        for slot in range(fingers):
            self.device.write(self.codes.EV_ABS, self.codes.ABS_MT_SLOT, slot)
            self.device.write(self.codes.EV_ABS, self.codes.ABS_MT_TRACKING_ID, -1)
        tool = ["BTN_TOOL_FINGER", "BTN_TOOL_DOUBLETAP", "BTN_TOOL_TRIPLETAP"][fingers - 1]
        self.set(BTN_TOUCH=0, **{tool: 0})

    def tap(self):
        self.put(1, fresh=True)
        time.sleep(0.03)
        self.lift(1)
        time.sleep(0.3)

    def slide(self, fingers, dx, dy):
        self.put(fingers, fresh=True)
        for step in range(1, 21):
            time.sleep(0.015)
            self.put(fingers, dx * step // 20, dy * step // 20)
        self.lift(fingers)
        time.sleep(0.3)


class Pen(Device):
    """Pen tablet."""

    def __init__(self, name="test pen tablet"):
        super().__init__(
            name, ["BTN_TOOL_PEN", "BTN_TOUCH", "BTN_STYLUS", "BTN_STYLUS2"],
            [("ABS_X", 20000, 100), ("ABS_Y", 12000, 100), ("ABS_PRESSURE", 2047, 0)],
            properties=["INPUT_PROP_POINTER"])

    def draw(self, x, y):
        """Draws a stroke from x, y (0 to 1) and lifts the pen."""
        x, y = int(20000 * x), int(12000 * y)
        self.set(ABS_X=x, ABS_Y=y, BTN_TOOL_PEN=1)
        self.set(ABS_X=x + 10, ABS_Y=y, BTN_TOUCH=1, ABS_PRESSURE=1900)
        for step in range(1, 6):
            self.set(ABS_X=x + 100 * step, ABS_Y=y, ABS_PRESSURE=1900 - step)
        self.set(BTN_STYLUS=1)
        self.set(BTN_STYLUS=0)
        self.set(BTN_TOUCH=0, ABS_PRESSURE=0)
        self.set(BTN_TOOL_PEN=0)


class Mouse:
    """Mouse with high-resolution wheels."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.device.close()

    def __init__(self):
        from evdev import UInput, ecodes
        self.codes = ecodes
        self.name = "test mouse"
        self.device = UInput({
            ecodes.EV_KEY: [ecodes.BTN_LEFT, ecodes.BTN_RIGHT, ecodes.BTN_MIDDLE],
            ecodes.EV_REL: [ecodes.REL_X, ecodes.REL_Y, ecodes.REL_WHEEL, ecodes.REL_HWHEEL,
                            ecodes.REL_WHEEL_HI_RES, ecodes.REL_HWHEEL_HI_RES],
        }, name=self.name)

    def move(self, **values):
        """Moves relative axes by name, as one group of events."""
        for name, value in values.items():
            self.device.write(self.codes.EV_REL, self.codes.ecodes[name], value)
        self.device.syn()


class Lid(Device):
    """Lid switch."""

    def __init__(self):
        super().__init__("test lid", [], [], switches=["SW_LID"])

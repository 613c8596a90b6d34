# SPDX-License-Identifier: MIT
"""sdl_game relative|640x480: an SDL program on X11, like a game. Writes events to standard output.

With `relative`, it grabs the pointer in relative mode; else it sets a video mode and fills the screen.
"""
import ctypes
import ctypes.util
import struct
import sys

VIDEO, CENTERED, SHOWN, FULLSCREEN = 0x20, 0x2fff0000, 4, 1
QUIT, KEY_DOWN, MOTION, BUTTON_DOWN = 0x100, 0x300, 0x400, 0x401


def main():
    sdl = ctypes.CDLL(ctypes.util.find_library("SDL2-2.0") or "libSDL2-2.0.so.0")
    sdl.SDL_CreateWindow.restype = sdl.SDL_GetWindowSurface.restype = ctypes.c_void_p
    sdl.SDL_GetError.restype = ctypes.c_char_p

    def check(good):
        if not good:
            sys.exit(f"SDL: {sdl.SDL_GetError()}")
    check(sdl.SDL_Init(VIDEO) == 0)
    relative = sys.argv[1] == "relative"
    width, height = (400, 300) if relative else map(int, sys.argv[1].split("x"))
    window = sdl.SDL_CreateWindow(b"game", CENTERED, CENTERED, width, height,
                                  SHOWN if relative else SHOWN | FULLSCREEN)
    check(window)
    window = ctypes.c_void_p(window)
    if relative:
        check(sdl.SDL_SetRelativeMouseMode(1) == 0)
    event = ctypes.create_string_buffer(128)
    while True:
        surface = sdl.SDL_GetWindowSurface(window)
        check(surface)
        sdl.SDL_FillRect(ctypes.c_void_p(surface), None, ctypes.c_uint32(0xff30a050))
        sdl.SDL_UpdateWindowSurface(window)
        if not sdl.SDL_WaitEventTimeout(event, 200):
            continue
        kind, = struct.unpack_from("I", event)
        if kind == QUIT:
            break
        if kind == MOTION:
            print("motion", *struct.unpack_from("iiii", event, 20), flush=True)
        elif kind == BUTTON_DOWN:
            print("press", *struct.unpack_from("ii", event, 20), flush=True)
        elif kind == KEY_DOWN:
            print("key", flush=True)
    sdl.SDL_Quit()


main()

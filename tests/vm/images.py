# SPDX-License-Identifier: MIT
"""Images as tuples (width, height, rgb): files, comparison and contents."""
import zlib

from checks import check


def write_ppm(path, image):
    with open(path, "wb") as file:
        file.write(f"P6\n{image[0]} {image[1]}\n255\n".encode() + image[2])


def read_ppm(path):
    with open(path, "rb") as file:
        magic, size, depth, pixels = file.read().split(b"\n", 3)
    check(magic == b"P6" and depth == b"255", f"{path}: no binary PPM with 8 bits per channel")
    width, height = map(int, size.split())
    return width, height, pixels


def differences(a, b):
    """Returns the number of pixels that differ."""
    check(a[:2] == b[:2], f"images of {a[0]}x{a[1]} and {b[0]}x{b[1]}")
    if a[2] == b[2]:
        return 0
    return sum(a[2][i:i + 3] != b[2][i:i + 3] for i in range(0, len(a[2]), 3))


def distance(a, b):
    """Returns the maximum difference of a channel."""
    return farthest(a, b)[0]


def farthest(a, b):
    """Returns the maximum difference of a channel, and the x, y of such a pixel."""
    check(a[:2] == b[:2], f"images of {a[0]}x{a[1]} and {b[0]}x{b[1]}")
    most, stride = (0, 0, 0), a[0] * 3
    for y in range(a[1]):
        one, two = (image[2][y * stride:(y + 1) * stride] for image in (a, b))
        if one != two:
            row = [abs(i - j) for i, j in zip(one, two)]
            most = max(most, (max(row), row.index(max(row)) // 3, y))
    return most


def colors(image):
    """Returns the number of colors in a sample of the pixels: 1 for a blank image."""
    pixels = image[2]
    return len({pixels[i:i + 3] for i in range(0, len(pixels), 3 * 37)})


def extents(image):
    """Returns x, y, width, height of the area that differs from the top left pixel."""
    width, height, pixels = image
    blank = pixels[:3] * width
    rows = [y for y in range(height) if pixels[y * width * 3:(y + 1) * width * 3] != blank]
    check(rows, "the image is blank")
    left, right = width, 0
    for y in rows:
        row = pixels[y * width * 3:(y + 1) * width * 3]
        different = [x for x in range(width) if row[x * 3:x * 3 + 3] != blank[:3]]
        left, right = min(left, different[0]), max(right, different[-1])
    return left, rows[0], right - left + 1, rows[-1] - rows[0] + 1


def vkms_crc(image):
    """Returns the CRC by vkms of this image alone on the screen: opaque ARGB with 16 bits per channel."""
    width, height, pixels = image
    wide = bytearray(width * height * 8)
    wide[0::8] = wide[1::8] = b"\xff" * (width * height)
    for channel in range(3):
        wide[2 + 2 * channel::8] = wide[3 + 2 * channel::8] = pixels[channel::3]
    return zlib.crc32(bytes(wide), 0xffffffff) ^ 0xffffffff

/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: properties of X windows. The input is a sequence of replies: a byte for the
 * property, one for format and type, two for the length (least significant first), and the value.
 */

#include "fuzz/target.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/hints/hints.h"
#include "xwayland/wm/root.h"
#include "xwayland/wm/window/window.h"
#include <stdlib.h>
#include <string.h>

#define HEADER 4
/** Longest value that is read of any property, bytes. */
#define VALUE_MAX 2048

static void check(bool good)
{
	if (!good) {
		abort();
	}
}

static void check_text(const char *text)
{
	for (; text && *text; text++) {
		check((unsigned char)*text >= 0x20 && *text != 0x7f);
	}
}

static void check_hints(const struct x_size_hints *hints, uint32_t seed)
{
	const struct frame_extents frame = {29, 1, 1, 1};
	int32_t width = (int32_t)(seed % 40000), height = (int32_t)(seed / 7 % 40000), x = 0, y = 0;
	xwm_size_hints_constrain(hints, &width, &height);
	check(width >= 1 && width <= X_SIZE_MAX && height >= 1 && height <= X_SIZE_MAX);
	xwm_size_hints_place(hints->gravity, &frame, &x, &y);
	check(abs(x) <= 30 && abs(y) <= 30);
}

static void check_window(const struct xwin *window, uint32_t seed)
{
	check_text(window->title);
	check_text(window->app_id);
	check_hints(&window->hints, seed);
	for (int i = 0; i < 4; i++) {
		check(window->strut.edges[i] >= 0 && window->strut.edges[i] <= X_POSITION_MAX);
	}
	check(window->type <= X_TYPE_DESKTOP);
}

/* A value of its own allocation, so that sanitizers see its end. */
static void read_reply(struct xwin *window, const uint8_t *record, size_t length)
{
	static const uint8_t formats[] = {0, 8, 16, 32};
	const uint8_t format = formats[record[1] & 3];
	const size_t unit = format ? format / 8 : 1;
	const size_t bytes = format ? length / unit * unit : 0;
	xcb_get_property_reply_t *reply = xcalloc(1, sizeof(*reply) + bytes);
	reply->format = format;
	reply->type = record[1] >> 2; /* an atom: all of the lowest ones are known */
	reply->length = (uint32_t)((bytes + 3) / 4);
	reply->value_len = (uint32_t)(bytes / unit);
	memcpy(reply + 1, record + HEADER, bytes);
	const enum x_property property = record[0] % PROPERTY_COUNT;
	window->reading.in_flight = UINT32_MAX;
	window->reading.changed = 0; /* nothing is requested */
	xwin_property_reply(window, property, record[1] == UINT8_MAX ? NULL : reply);
	char *resources = xwm_resources_merge((const char *)(reply + 1), bytes, 1.5, 36);
	free(resources);
	free(reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xwm *wm = xcalloc(1, sizeof(*wm));
	struct xwin window = {.wm = wm, .map_requested = true, .reading.missing = UINT32_MAX};
	for (int i = 0; i < X_ATOM_COUNT; i++) {
		wm->atoms[i] = (xcb_atom_t)i + 1;
	}
	wm->scale = window.density = 1;
	while (size >= HEADER) {
		size_t length = (size_t)data[2] | (size_t)data[3] << 8;
		length = length < size - HEADER ? length : size - HEADER;
		length = length < VALUE_MAX ? length : VALUE_MAX;
		read_reply(&window, data, length);
		check_window(&window, (uint32_t)size * 2654435761u);
		data += HEADER + length;
		size -= HEADER + length;
	}
	free(window.title);
	free(window.app_id);
	free(window.startup_id);
	free(wm);
	return 0;
}

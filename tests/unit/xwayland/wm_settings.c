/* SPDX-License-Identifier: MIT */
/* XSETTINGS and X resources that tell the scale. */

#include "harness/unit.h"
#include "xwayland/wm/root.h"
#include <stdlib.h>
#include <string.h>

/* Returns the value of an integer setting, read as toolkits read it; -1: none. */
static int32_t find(const uint8_t *bytes, size_t size, const char *name)
{
	uint32_t count;
	memcpy(&count, bytes + 8, sizeof(count));
	const uint8_t *at = bytes + 12;
	for (uint32_t i = 0; i < count; i++) {
		uint16_t length;
		int32_t value;
		memcpy(&length, at + 2, sizeof(length));
		const char *text = (const char *)at + 4;
		at += 4 + (length + 3) / 4 * 4;
		assert_true(at + 8 <= bytes + size);
		memcpy(&value, at + 4, sizeof(value));
		at += 8;
		if (length == strlen(name) && memcmp(text, name, length) == 0) {
			return value;
		}
	}
	return -1;
}

static void settings_carry_whole_factors_and_the_remainder_as_dpi(void **state)
{
	static const struct {
		double scale;
		int dpi, unscaled, factor;
	} rows[] = {{1.25, 120, 120, 1}, {1.5, 144, 144, 1}, {2, 192, 96, 2}, {2.5, 240, 120, 2}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t bytes[X_SETTINGS_SIZE];
		size_t size = xwm_settings_encode(bytes, rows[i].scale, 36, 7);
		assert_true(size <= sizeof(bytes) && size % 4 == 0);
		assert_int_equal(find(bytes, size, "Xft/DPI"), rows[i].dpi * 1024);
		assert_int_equal(find(bytes, size, "Gdk/UnscaledDPI"), rows[i].unscaled * 1024);
		assert_int_equal(find(bytes, size, "Gdk/WindowScalingFactor"), rows[i].factor);
		assert_int_equal(find(bytes, size, "Gtk/CursorThemeSize"), 36);
	}
}

static void other_resources_are_kept(void **state)
{
	static const struct {
		const char *before, *after;
	} rows[] = {
		{"", "Xft.dpi:\t144\nXcursor.size:\t36\n"},
		{"XTerm*font: 6x13\nXft.dpi: 96\n",
			"XTerm*font: 6x13\nXft.dpi:\t144\nXcursor.size:\t36\n"},
		{"Xcursor.size:\t24\na: b", "a: b\nXft.dpi:\t144\nXcursor.size:\t36\n"},
		{"Xft.dpi", "Xft.dpi\nXft.dpi:\t144\nXcursor.size:\t36\n"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *merged = xwm_resources_merge(rows[i].before, strlen(rows[i].before), 1.5, 36);
		assert_string_equal(merged, rows[i].after);
		free(merged);
	}
	/* A property need not end where a text does. */
	static const char embedded[] = "a: b\n\0c: d\n";
	char *merged = xwm_resources_merge(embedded, sizeof(embedded), 1, 24);
	assert_string_equal(merged, "a: b\nXft.dpi:\t96\nXcursor.size:\t24\n");
	free(merged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_carry_whole_factors_and_the_remainder_as_dpi),
		cmocka_unit_test(other_resources_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

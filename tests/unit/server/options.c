/* SPDX-License-Identifier: MIT */
/* Command line options. */

#include "server/options.h"
#include "harness/unit.h"
#include <stdlib.h>
#include <string.h>

#define ARGS_MAX 8

static int count(const char *const *argv)
{
	int n = 0;
	while (argv[n]) {
		n++;
	}
	return n;
}

static bool parse(struct options *options, const char *const *argv, char **error)
{
	return options_parse(options, count(argv), (char *const *)argv, error);
}

static void output_specifications_are_parsed(void **state)
{
	static const struct {
		const char *text;
		struct server_output_option output;
	} good[] = {
		{"1920x1080", {1920, 1080, 60000, 1}},
		{"1x1", {1, 1, 60000, 1}},
		{"32768x32768", {32768, 32768, 60000, 1}},
		{"2560x1440@144", {2560, 1440, 144000, 1}},
		{"2560x1440@59.94", {2560, 1440, 59940, 1}},
		{"3840x2160*1.25", {3840, 2160, 60000, 1.25}},
		{"3840x2160@30*2", {3840, 2160, 30000, 2}},
		{"640x480@1*.5", {640, 480, 1000, 0.5}},
	};
	static const char *const bad[] = {"", "x", "1920", "1920x", "x1080", "0x10", "10x0",
		"-1x10", "10x-1", "+1x1", " 1x1", "1 x1", "1x1 ", "32769x1", "1x99999999999",
		"1920X1080", "1920x1080@", "1920x1080@0", "1920x1080@-60", "1920x1080@nan",
		"1920x1080@inf", "1920x1080@1001", "1920x1080@60hz", "1920x1080@6.0.1",
		"1920x1080*", "1920x1080*0", "1920x1080*11", "1920x1080*1.5x", "1920x1080*2@60",
		"1920x1080@0x10", "1920x1080@1e2", "1920x1080@.", "1920x1080*00000000000000001"};
	struct server_output_option output;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(options_parse_output(good[i].text, &output));
		assert_int_equal(output.width, good[i].output.width);
		assert_int_equal(output.height, good[i].output.height);
		assert_int_equal(output.refresh, good[i].output.refresh);
		assert_true(output.scale == good[i].output.scale);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (options_parse_output(bad[i], &output)) {
			fail_msg("'%s' was taken for an output", bad[i]);
		}
	}
}

static void all_options_are_parsed(void **state)
{
	const char *argv[] = {"causeway", "--backend=headless", "--renderer", "pixman",
		"--config=/a=b", "--socket=wayland-7", "--output=10x20", "--output", "30x40@50*2",
		"--log=frame", "--exit-with-child", "--check-config", "--", "foot", "--backend=x",
		NULL};
	struct options options;
	char *error;
	assert_true(parse(&options, argv, &error));
	assert_null(error);
	assert_int_equal(options.server.backend, BACKEND_HEADLESS);
	assert_int_equal(options.server.renderer, RENDERER_PIXMAN);
	assert_string_equal(options.server.config_path, "/a=b");
	assert_string_equal(options.server.socket, "wayland-7");
	assert_int_equal(options.server.n_outputs, 2);
	assert_int_equal(options.server.outputs[0].width, 10);
	assert_int_equal(options.server.outputs[1].refresh, 50000);
	assert_string_equal(options.log, "frame");
	assert_true(options.server.exit_with_child);
	assert_true(options.check_config);
	assert_false(options.version);
	assert_string_equal(options.server.command[0], "foot");
	assert_string_equal(options.server.command[1], "--backend=x");
	assert_null(options.server.command[2]);
	options_finish(&options);
}

static void defaults_apply_without_options(void **state)
{
	const char *argv[] = {"causeway", NULL};
	struct options options;
	char *error;
	assert_true(parse(&options, argv, &error));
	assert_int_equal(options.server.backend, BACKEND_AUTO);
	assert_int_equal(options.server.renderer, RENDERER_AUTO);
	assert_null(options.server.config_path);
	assert_null(options.server.socket);
	assert_null(options.server.command);
	assert_int_equal(options.server.n_outputs, 0);
	options_finish(&options);
}

static void help_is_requested(void **state)
{
	const char *argv[] = {"causeway", "--help", NULL};
	struct options options;
	char *error;
	assert_true(parse(&options, argv, &error));
	assert_true(options.help);
	assert_non_null(strstr(options_usage(), "--help"));
	options_finish(&options);
}

/* Each command line is refused with a message that names the fault. */
static void errors_name_the_fault(void **state)
{
	static const struct {
		const char *argv[ARGS_MAX];
		const char *says;
	} bad[] = {
		{{"causeway", "--nonsense"}, "--nonsense"},
		{{"causeway", "foot"}, "after --"},
		{{"causeway", "--backend=x11"}, "drm, wayland or headless"},
		{{"causeway", "--backend="}, "drm, wayland or headless"},
		{{"causeway", "--backend"}, "needs a value"},
		{{"causeway", "--backendx=drm"}, "--backendx"},
		{{"causeway", "--renderer=vulkan"}, "gles or pixman"},
		{{"causeway", "--config="}, "file"},
		{{"causeway", "--socket="}, "name"},
		{{"causeway", "--socket=/tmp/a"}, "slashes"},
		{{"causeway", "--output=10"}, "WxH"},
		{{"causeway", "--output=10x10", "--output=10y"}, "WxH"},
		{{"causeway", "--backend=drm", "--output=10x10"}, "--output"},
		{{"causeway", "--exit-with-child"}, "command"},
		{{"causeway", "--exit-with-child=yes", "--", "true"}, "--exit-with-child=yes"},
		{{"causeway", "--"}, "command"},
		{{"causeway", ""}, "unexpected"},
		{{"causeway", "-v"}, "-v"},
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct options options;
		char *error;
		assert_false(parse(&options, bad[i].argv, &error));
		assert_non_null(error);
		if (!strstr(error, bad[i].says)) {
			fail_msg("'%s' does not say '%s'", error, bad[i].says);
		}
		free(error);
		options_finish(&options);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_specifications_are_parsed),
		cmocka_unit_test(all_options_are_parsed),
		cmocka_unit_test(defaults_apply_without_options),
		cmocka_unit_test(help_is_requested),
		cmocka_unit_test(errors_name_the_fault),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

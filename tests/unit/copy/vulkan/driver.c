/* SPDX-License-Identifier: MIT */
/* Vulkan drivers: manifests, and their match with kernel drivers. */

#include "copy/vulkan/driver.h"
#include "copy/vulkan/device.h"
#include "harness/unit.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "/nonexistent/libvulkan_lvp.so"

int __real_vulkan_driver_init(
	struct vulkan_driver *driver, const char *kernel_driver, unsigned nth);
int __wrap_vulkan_driver_init(
	struct vulkan_driver *driver, const char *kernel_driver, unsigned nth);

/* Errors of a GPU's drivers, of which the last is followed by none; NULL: the drivers are real. */
static const int *errors;

int __wrap_vulkan_driver_init(struct vulkan_driver *driver, const char *kernel_driver, unsigned nth)
{
	if (!errors) {
		return __real_vulkan_driver_init(driver, kernel_driver, nth);
	}
	driver->found = errors[nth] < 0;
	return driver->found ? errors[nth] : -ENOENT;
}

static int init_with(const char *manifest, const char *kernel, unsigned nth)
{
	char path[] = "/tmp/causeway-icd-XXXXXX";
	int fd = mkstemp(path);
	assert_int_equal(write(fd, manifest, strlen(manifest)), strlen(manifest));
	close(fd);
	setenv("VK_DRIVER_FILES", path, 1);
	struct vulkan_driver driver;
	int error = vulkan_driver_init(&driver, kernel, nth);
	unsetenv("VK_DRIVER_FILES");
	unlink(path);
	return error;
}

/* -ENOTSUP: the library was chosen, but it does not exist. -ENOENT: no manifest fits. */
static void manifest_names_the_library(void **state)
{
	static const struct {
		const char *manifest, *kernel;
		unsigned nth;
		int error;
	} cases[] = {
		{"{\"ICD\": {\"library_path\": \"" LIBRARY "\"}}", NULL, 0, -ENOTSUP},
		{"{\"ICD\":{\"library_path\":\"libvulkan_lvp_nonexistent.so\"}}", NULL, 0,
			-ENOTSUP},
		{"{\n\t\"ICD\": {\n\t\t\"library_path\" :\n\t\t\"" LIBRARY "\"\n}\n}", NULL, 0,
			-ENOTSUP},
		{"{\"ICD\": {\"library_path\": \"" LIBRARY "\"}}", NULL, 1, -ENOENT},
		{"{\"ICD\": {\"library_path\": \"" LIBRARY "\"}}", "amdgpu", 0, -ENOENT},
		{"{\"ICD\": {\"library_path\": \"/nonexistent/libvulkan_radeon.so\"}}", "amdgpu", 0,
			-ENOTSUP},
		{"{\"ICD\": {\"library_path\": \"/nonexistent/libvulkan_radeon.so\"}}", NULL, 0,
			-ENOENT},
		{"{\"ICD\": {\"library_path\": \"" LIBRARY, NULL, 0, -ENOENT},
		{"{\"ICD\": {\"library_path\": \"\"}}", NULL, 0, -ENOENT},
		{"{\"ICD\": {\"path\": \"" LIBRARY "\"}}", NULL, 0, -ENOENT},
		{"", NULL, 0, -ENOENT},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int error = init_with(cases[i].manifest, cases[i].kernel, cases[i].nth);
		if (error != cases[i].error) {
			fail_msg("%s: %s", cases[i].manifest, strerror(-error));
		}
	}
}

static void missing_manifest_is_no_driver(void **state)
{
	struct vulkan_driver driver;
	setenv("VK_DRIVER_FILES", "/nonexistent/lvp_icd.json", 1);
	assert_int_equal(vulkan_driver_init(&driver, NULL, 0), -ENOENT);
	unsetenv("VK_DRIVER_FILES");
}

/* One of two drivers that failed for a moment may be the GPU's, in either order. */
static void error_that_may_pass_outlives_others(void **state)
{
	static const struct {
		int errors[4], result;
	} cases[] = {
		{{0}, -ENOENT},
		{{-ENOTSUP, 0}, -ENOTSUP},
		{{-EMFILE, 0}, -EMFILE},
		{{-ENOTSUP, -EMFILE, 0}, -EMFILE},
		{{-EMFILE, -ENOTSUP, 0}, -EMFILE},
		{{-ENOTSUP, -ENOMEM, -ENOTSUP, 0}, -ENOMEM},
		{{-ENOTSUP, -ENODEV, 0}, -ENODEV},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct vulkan_device device;
		errors = cases[i].errors;
		assert_int_equal(
			vulkan_device_init(&device, &(struct vulkan_options){0}), cases[i].result);
	}
	errors = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(manifest_names_the_library),
		cmocka_unit_test(missing_manifest_is_no_driver),
		cmocka_unit_test(error_that_may_pass_outlives_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

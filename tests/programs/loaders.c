/* SPDX-License-Identifier: MIT */
/*
 * loaders vulkan|egl FILE: makes a loader open its drivers, as programs do when they start, and
 * writes the number of software renderers to a file.
 */

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

#define DEVICES_MAX 16

static void *find(void *library, const char *name)
{
	void *function = library ? dlsym(library, name) : NULL;
	if (!function) {
		fprintf(stderr, "loaders: there is no %s\n", name);
		exit(EXIT_FAILURE);
	}
	return function;
}

/* Links no Vulkan loader: only its headers are needed for the build. */
static int count_vulkan(void)
{
	void *library = dlopen("libvulkan.so.1", RTLD_NOW);
	PFN_vkCreateInstance create;
	PFN_vkEnumeratePhysicalDevices enumerate;
	PFN_vkGetPhysicalDeviceProperties describe;
	*(void **)&create = find(library, "vkCreateInstance");
	*(void **)&enumerate = find(library, "vkEnumeratePhysicalDevices");
	*(void **)&describe = find(library, "vkGetPhysicalDeviceProperties");
	VkInstance instance;
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	if (create(&info, NULL, &instance) != VK_SUCCESS) {
		return 0;
	}
	VkPhysicalDevice devices[DEVICES_MAX];
	uint32_t n = DEVICES_MAX;
	int count = 0;
	if (enumerate(instance, &n, devices) < 0) {
		return 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		VkPhysicalDeviceProperties properties;
		describe(devices[i], &properties);
		count += properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
	}
	return count;
}

static int count_egl(void)
{
	setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
	EGLDisplay display =
		eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	return display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		return EXIT_FAILURE;
	}
	int count = strcmp(argv[1], "vulkan") == 0 ? count_vulkan() : count_egl();
	FILE *file = fopen(argv[2], "w");
	if (!file) {
		return EXIT_FAILURE;
	}
	fprintf(file, "%d\n", count);
	return fclose(file) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

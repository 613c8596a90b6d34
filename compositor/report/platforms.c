/* SPDX-License-Identifier: MIT */
/*
 * Capabilities of EGL and Vulkan without a DRM node, as of NVIDIA's driver in containers and
 * virtual machines: PCI devices without a node, EGL devices, the GLES renderer, and Vulkan devices.
 */

#include "copy/vulkan.h"
#include "gpu/egl.h"
#include "gpu/version.h"
#include "internal.h"
#include "util/file.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PCI_DEVICES "/sys/bus/pci/devices"
#define PCI_CLASS_DISPLAY 0x03
#define VULKAN_DEVICES_MAX 16
#define NAME_SIZE 256 /* a folder's name has at most 255 bytes */

/* Reads a hexadecimal attribute; -1 if there is none. */
static long read_hex(const char *device, const char *name)
{
	char path[sizeof(PCI_DEVICES) + 2 * NAME_SIZE], line[32] = "";
	snprintf(path, sizeof(path), "%s/%s/%s", PCI_DEVICES, device, name);
	FILE *file = file_open_regular(path, 4096);
	if (!file) {
		return -1;
	}
	char *read = fgets(line, sizeof(line), file);
	fclose(file);
	return read ? strtol(line, NULL, 16) : -1;
}

static bool has_entry(const char *device, const char *name)
{
	char path[sizeof(PCI_DEVICES) + 2 * NAME_SIZE];
	snprintf(path, sizeof(path), "%s/%s/%s", PCI_DEVICES, device, name);
	return access(path, F_OK) == 0;
}

static void add_driver(struct record *record, const char *device)
{
	char path[sizeof(PCI_DEVICES) + 2 * NAME_SIZE], target[NAME_SIZE];
	snprintf(path, sizeof(path), "%s/%s/driver", PCI_DEVICES, device);
	ssize_t length = readlink(path, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	const char *slash = strrchr(target, '/');
	const char *driver = slash ? slash + 1 : target;
	record_text(record, "driver", "%s", *driver ? driver : "none");
	char *version = *driver ? gpu_read_driver_version(driver) : NULL;
	if (version) {
		record_text(record, "driver_version", "%s", version);
	}
	free(version);
}

static void add_pci(struct record *record)
{
	struct record *list = record_add_list(record, "pci_gpus_without_drm");
	DIR *folder = opendir(PCI_DEVICES);
	struct dirent *entry;
	while (folder && (entry = readdir(folder))) {
		const char *name = entry->d_name;
		if (name[0] == '.' || read_hex(name, "class") >> 16 != PCI_CLASS_DISPLAY ||
			has_entry(name, "drm")) {
			continue;
		}
		struct record *gpu = record_add(list, NULL);
		record_text(gpu, "address", "%s", name);
		record_text(gpu, "id", "%04lx:%04lx", read_hex(name, "vendor"),
			read_hex(name, "device"));
		add_driver(gpu, name);
	}
	if (folder) {
		closedir(folder);
	}
}

static void add_egl_devices(struct record *record)
{
	static const struct {
		const char *key;
		EGLint name;
		const char *extension; /* that defines the string */
	} strings[] = {
		{"extensions", EGL_EXTENSIONS, NULL},
		{"drm_node", EGL_DRM_DEVICE_FILE_EXT, "EGL_EXT_device_drm"},
		{"vendor", EGL_VENDOR, "EGL_EXT_device_query_name"},
		{"renderer", EGL_RENDERER_EXT, "EGL_EXT_device_query_name"},
	};
	struct record *list = record_add_list(record, "devices");
	EGLDeviceEXT devices[EGL_DEVICES_MAX];
	size_t n = egl_find_devices(devices);
	for (size_t i = 0; i < n; i++) {
		struct record *device = record_add(list, NULL);
		const char *extensions = egl_device_string(devices[i], EGL_EXTENSIONS);
		for (size_t j = 0; j < sizeof(strings) / sizeof(strings[0]); j++) {
			const char *text = !strings[j].extension || egl_has_extension(extensions,
									    strings[j].extension)
						   ? egl_device_string(devices[i], strings[j].name)
						   : NULL;
			if (text) {
				record_text(device, strings[j].key, "%s", text);
			}
		}
	}
}

/* The renderer of `--renderer=gles` where no GPU has a DRM node. */
static void add_gles(struct record *record)
{
	struct record *gles = record_add(record, "gles_without_drm");
	struct egl *egl = egl_create(NULL);
	if (!egl) {
		record_text(gles, "error", "there is no display with GLES 3");
		return;
	}
	record_text(gles, "renderer", "%s", (const char *)glGetString(GL_RENDERER));
	record_text(gles, "version", "%s", (const char *)glGetString(GL_VERSION));
	record_text(gles, "frames", "%s",
		egl->rendering.n_formats > 0 ? "in shared memory" : "copied to memory");
	record_number(gles, "dmabuf_formats", (int64_t)egl->sampling.n_formats);
	record_flag(gles, "native_fences", egl->has.native_fence);
	record_flag(gles, "resets_are_reported", egl->has.robust);
	record_flag(gles, "measures_gpu_time", egl->has.timers);
	egl_destroy(egl);
}

static void add_egl(struct record *record, bool no_gpus)
{
	struct record *egl = record_add(record, "egl");
	const char *client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
	record_flag(egl, "surfaceless", egl_has_extension(client, "EGL_MESA_platform_surfaceless"));
	record_flag(egl, "gbm", egl_has_extension(client, "EGL_KHR_platform_gbm"));
	add_egl_devices(egl);
	if (no_gpus) {
		add_gles(egl);
	}
}

#ifdef CAUSEWAY_VULKAN
static void add_vulkan(struct record *record)
{
	struct record *list = record_add_list(record, "vulkan_without_drm");
	for (unsigned i = 0; i < VULKAN_DEVICES_MAX; i++) {
		const struct vulkan_options options = {.kernel_driver = "nvidia", .index = i};
		struct vulkan_facts facts;
		if (vulkan_describe(&options, &facts) < 0) {
			break;
		}
		struct record *device = record_add(list, NULL);
		record_text(device, "name", "%s", facts.name);
		struct record *queues = record_add_list(device, "queues");
		for (int kind = 0; kind < VULKAN_QUEUE_ANY; kind++) {
			if (facts.queues[kind]) {
				record_text(queues, NULL, "%s",
					vulkan_queue_kind_name((enum vulkan_queue_kind)kind));
			}
		}
		record_flag(device, "imports_dmabufs", facts.dmabuf);
		record_flag(device, "modifiers", facts.modifiers);
		record_flag(device, "imports_memory_of_the_process", facts.host_memory);
		record_flag(device, "waits_for_sync_files", facts.wait_sync_file);
		record_flag(device, "makes_sync_files", facts.make_sync_file);
	}
}
#endif

void report_platforms(struct record *record, bool no_gpus)
{
	add_pci(record);
	add_egl(record, no_gpus);
#ifdef CAUSEWAY_VULKAN
	if (no_gpus) {
		add_vulkan(record);
	}
#endif
}

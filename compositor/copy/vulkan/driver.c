/* SPDX-License-Identifier: MIT */
/*
 * A Vulkan driver (ICD), loaded without the loader: the manifest names the library, which
 * implements the loader's interface (vulkan/vk_icd.h).
 */

#include "copy/vulkan/driver.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/file.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger manifests are ignored. */
#define BYTES_MAX (1024 * 1024)

/* First interface version that identifies physical devices without the loader. */
#define INTERFACE_VERSION 5
#define MANIFEST_MAX 8192

static const struct {
	const char *kernel;
	const char *library; /* prefix of the library's name */
} families[] = {
	{"amdgpu", "libvulkan_radeon"},
	{"asahi", "libvulkan_asahi"},
	{"i915", "libvulkan_intel"},
	{"msm", "libvulkan_freedreno"},
	{"nouveau", "libvulkan_nouveau"},
	{"nvidia", "libGLX_nvidia"},
	{"nvidia", "libEGL_nvidia"},
	{"nvidia-drm", "libGLX_nvidia"},
	{"nvidia-drm", "libEGL_nvidia"},
	{"panfrost", "libvulkan_panfrost"},
	{"panthor", "libvulkan_panfrost"},
	{"v3d", "libvulkan_broadcom"},
	{"virtio_gpu", "libvulkan_virtio"},
	{"xe", "libvulkan_intel"},
	{NULL, "libvulkan_lvp"},
};

#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

static bool belongs(const char *path, const char *kernel)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	for (size_t i = 0; i < N_FAMILIES; i++) {
		const char *of = families[i].kernel;
		bool same = kernel && of ? strcmp(kernel, of) == 0 : kernel == of;
		if (same && strncmp(name, families[i].library, strlen(families[i].library)) == 0) {
			return true;
		}
	}
	return false;
}

struct search {
	const char *kernel;
	unsigned left; /* to be skipped */
	char *found; /* the library */
	int error; /* of the first file or folder that could not be read for a moment, else 0 */
};

static void note_error(struct search *search, int error)
{
	if (error_may_pass(error) && search->error == 0) {
		search->error = error;
	}
}

/* Returns the value of "library_path", the only member needed; NULL without it. */
static char *library_of(struct search *search, const char *manifest)
{
	char text[MANIFEST_MAX];
	FILE *file = file_open_regular(manifest, BYTES_MAX);
	if (!file) {
		note_error(search, -errno);
		return NULL;
	}
	size_t n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	char *key = strstr(text, "\"library_path\"");
	char *start = key ? strchr(key + strlen("\"library_path\""), '"') : NULL;
	char *end = start ? strchr(start + 1, '"') : NULL;
	if (!end) {
		return NULL;
	}
	*end = '\0';
	start++;
	char *slash = strrchr(manifest, '/');
	if (strchr(start, '/') && *start != '/' && slash) {
		return xasprintf("%.*s/%s", (int)(slash - manifest), manifest, start);
	}
	return xstrdup(start);
}

static void look_at(struct search *search, const char *manifest)
{
	char *library = search->found ? NULL : library_of(search, manifest);
	if (library && belongs(library, search->kernel) && search->left-- == 0) {
		search->found = library;
		return;
	}
	free(library);
}

static int is_manifest(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

static void look_into(struct search *search, const char *base, const char *folder)
{
	char *path = xasprintf("%s%s", base, folder);
	struct dirent **entries;
	int n = scandir(path, &entries, is_manifest, alphasort);
	if (n < 0) {
		note_error(search, -errno);
	}
	for (int i = 0; i < n; i++) {
		char *manifest = xasprintf("%s/%s", path, entries[i]->d_name);
		look_at(search, manifest);
		free(manifest);
		free(entries[i]);
	}
	if (n >= 0) {
		free(entries);
	}
	free(path);
}

/* Calls `each` for the parts of a colon-separated list. */
static void each(struct search *search, const char *list, const char *folder)
{
	char *copy = xstrdup(list), *save, *part;
	for (part = strtok_r(copy, ":", &save); part; part = strtok_r(NULL, ":", &save)) {
		if (folder) {
			look_into(search, part, folder);
		} else {
			look_at(search, part);
		}
	}
	free(copy);
}

static const char *setting(const char *name, const char *otherwise)
{
	const char *value = getenv(name);
	return value && *value ? value : otherwise;
}

/* Searches the loader's path, in its order. */
static int find(const char *kernel, unsigned nth, char **library)
{
	struct search search = {.kernel = kernel, .left = nth};
	const char *chosen = setting("VK_DRIVER_FILES", setting("VK_ICD_FILENAMES", NULL));
	if (chosen) {
		each(&search, chosen, NULL);
	} else {
		each(&search, setting("XDG_CONFIG_DIRS", "/etc/xdg"), "/vulkan/icd.d");
		look_into(&search, "/etc", "/vulkan/icd.d");
		each(&search, setting("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
			"/vulkan/icd.d");
	}
	*library = search.found;
	return search.found ? 0 : search.error < 0 ? search.error : -ENOENT;
}

static int open_library(struct vulkan_driver *driver, const char *path)
{
	PFN_vkVoidFunction (*get)(VkInstance, const char *);
	VkResult (*negotiate)(uint32_t *);
	uint32_t version = INTERFACE_VERSION;
	driver->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!driver->library) {
		log_debug(LOG_COPY, "vulkan: %s", dlerror());
		/* The loader of libraries has no error codes. */
		int room = fd_check_room();
		return room < 0 ? room : -ENOTSUP;
	}
	/* ISO C has no conversion from void pointers to function pointers; POSIX has. */
	*(void **)&get = dlsym(driver->library, "vk_icdGetInstanceProcAddr");
	*(void **)&negotiate = dlsym(driver->library, "vk_icdNegotiateLoaderICDInterfaceVersion");
	if (!get || !negotiate || negotiate(&version) != VK_SUCCESS || version < 2) {
		log_debug(LOG_COPY, "vulkan: %s has an unsupported ICD interface version", path);
		dlclose(driver->library);
		return -ENOTSUP;
	}
	driver->get = get;
	return 0;
}

int vulkan_driver_init(struct vulkan_driver *driver, const char *kernel_driver, unsigned nth)
{
	char *path;
	int error = find(kernel_driver, nth, &path);
	driver->found = error == 0;
	if (error == 0) {
		error = open_library(driver, path);
		free(path);
	}
	return error;
}

void vulkan_driver_finish(struct vulkan_driver *driver)
{
	dlclose(driver->library);
}

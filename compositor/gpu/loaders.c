/* SPDX-License-Identifier: MIT */
/*
 * Environment variables of the Vulkan and EGL loaders that hide drivers of other GPUs: a loader
 * opens every driver, and a driver opens its GPUs, which wakes them.
 */

#include "gpu/environment.h"
#include "gpu/gpu.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* User-space drivers that open the GPUs of certain kernel drivers. */
struct family {
	const char *kernel[5];
	/*
	 * Manifests of the Vulkan drivers, case-insensitive; the loader knows * at both ends only.
	 */
	const char *vulkan;
	/* Manifests of the EGL driver; NULL: Mesa's, which serves all GPUs and the CPU. */
	const char *egl;
};

static const struct family families[] = {
	{{"amdgpu"}, "radeon_*,amd_*", NULL},
	{{"i915", "xe"}, "intel_*", NULL},
	/* Mesa's driver too opens the node before it finds that the kernel driver is NVIDIA's. */
	{{"nouveau", "nova", "nvidia", "nvidia-drm"}, "nvidia_*,nouveau_*", "*nvidia*"},
};

/* The command before that of a program which sees every GPU, unless its rule hides some. */
#define UNHIDE "causeway-run --rules"

#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

/* A variable, and its copy that distinguishes inherited values from those of the user. */
struct variable {
	const char *name, *copy;
	const char *overriding[4]; /* with one of these, the user has chosen drivers already */
};

static const struct variable vulkan_variable = {
	"VK_LOADER_DRIVERS_DISABLE",
	"CAUSEWAY_HIDES_VULKAN",
	{"VK_LOADER_DRIVERS_SELECT", "VK_DRIVER_FILES", "VK_ICD_FILENAMES"},
};
static const struct variable egl_variable = {
	"__EGL_VENDOR_LIBRARY_FILENAMES", "CAUSEWAY_HIDES_EGL", {NULL}};

/* Families */

static const struct family *find_family(const struct gpu *gpu)
{
	for (size_t i = 0; i < N_FAMILIES; i++) {
		for (const char *const *kernel = families[i].kernel; *kernel; kernel++) {
			if (strcmp(gpu->driver, *kernel) == 0) {
				return &families[i];
			}
		}
	}
	return NULL;
}

/* Programs on a discrete GPU of their own see all GPUs. */
static bool may_hide_others(const struct gpu *gpu, const struct gpu *display)
{
	return gpu && (gpu->integrated || gpu == display);
}

/* Returns whether a discrete GPU of the family can sleep, and the family serves no other GPU. */
static bool is_hidden(const struct family *family, const struct gpu_list *list,
	const struct gpu *gpu, const struct gpu *display)
{
	const struct gpu *other;
	bool hidden = false;
	wl_list_for_each (other, &list->gpus, link) {
		if (find_family(other) != family) {
			continue;
		}
		if (other == gpu || other == display || other->integrated ||
			!gpu_can_sleep(other)) {
			return false;
		}
		hidden = true;
	}
	return hidden;
}

/* Appends an item to a list, which may be NULL and is freed. */
static char *append(char *list, const char *separator, const char *item)
{
	char *longer = list ? xasprintf("%s%s%s", list, separator, item) : xstrdup(item);
	free(list);
	return longer;
}

/* EGL */

struct vendors {
	const bool *hidden; /* by family */
	char *shown; /* manifests; NULL: none */
	bool hides; /* a hidden manifest was found */
};

static void add_manifest(struct vendors *vendors, const char *folder, const char *name)
{
	for (size_t i = 0; i < N_FAMILIES; i++) {
		if (vendors->hidden[i] && families[i].egl &&
			fnmatch(families[i].egl, name, 0) == 0) {
			vendors->hides = true;
			return;
		}
	}
	char *path = xasprintf("%s/%s", folder, name);
	vendors->shown = append(vendors->shown, ":", path);
	free(path);
}

static int is_manifest(const struct dirent *entry)
{
	return fnmatch("*.json", entry->d_name, 0) == 0;
}

static void add_folder(struct vendors *vendors, const char *folder)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_manifest, alphasort);
	for (int i = 0; i < n; i++) {
		add_manifest(vendors, folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0) {
		free(entries);
	}
}

/* Returns the value in the list or else in the environment. */
static const char *find_value(char *const *settings, const char *name)
{
	size_t length = strlen(name);
	for (; settings && *settings; settings++) {
		if (strncmp(*settings, name, length) == 0 && (*settings)[length] == '=') {
			return *settings + length + 1;
		}
	}
	return getenv(name);
}

/*
 * Returns the manifests of all EGL drivers but the hidden ones, in the loader's order, newly
 * allocated; NULL if there is nothing to hide, or nothing would be left.
 */
static char *list_vendors(const bool hidden[static N_FAMILIES], char *const *settings)
{
	const char *folders = find_value(settings, "__EGL_VENDOR_LIBRARY_DIRS");
	char *copy = xstrdup(
		folders ? folders : "/etc/glvnd/egl_vendor.d:/usr/share/glvnd/egl_vendor.d");
	struct vendors vendors = {.hidden = hidden};
	char *rest = NULL;
	for (char *folder = strtok_r(copy, ":", &rest); folder;
		folder = strtok_r(NULL, ":", &rest)) {
		add_folder(&vendors, folder);
	}
	free(copy);
	if (!vendors.hides) {
		free(vendors.shown);
		return NULL;
	}
	return vendors.shown;
}

/* Variables */

/* Returns whether the value was inherited from a program that Causeway started. */
static bool is_inherited(const struct variable *variable, const char *value)
{
	const char *copy = getenv(variable->copy);
	return value && copy && strcmp(value, copy) == 0;
}

static bool is_overridden(const struct variable *variable, char *const *settings)
{
	for (const char *const *name = variable->overriding; *name; name++) {
		if (find_value(settings, *name)) {
			return true;
		}
	}
	return false;
}

/* Adds changes that set the variable unless the user did; NULL removes an inherited value. */
static char **change(
	char **changes, const struct variable *variable, char *const *settings, const char *value)
{
	const char *old = find_value(settings, variable->name);
	bool inherited = is_inherited(variable, old);
	if (old && !inherited) {
		return changes;
	}
	if (value && !is_overridden(variable, settings)) {
		changes = strings_add(changes, xasprintf("%s=%s", variable->name, value));
		return strings_add(changes, xasprintf("%s=%s", variable->copy, value));
	}
	if (inherited) {
		changes = strings_add(changes, xstrdup(variable->name));
		changes = strings_add(changes, xstrdup(variable->copy));
	}
	return changes;
}

static bool sets_any(char *const *changes)
{
	while (*changes && !strchr(*changes, '=')) {
		changes++;
	}
	return *changes;
}

char **gpu_environment_hide_others(const struct gpu_list *list, const struct gpu *gpu,
	const struct gpu *display, char *const *settings)
{
	bool hidden[N_FAMILIES], any = false;
	char *vulkan = NULL;
	for (size_t i = 0; i < N_FAMILIES; i++) {
		hidden[i] = may_hide_others(gpu, display) &&
			    is_hidden(&families[i], list, gpu, display);
		vulkan = hidden[i] ? append(vulkan, ",", families[i].vulkan) : vulkan;
		any = any || hidden[i];
	}
	char *egl = any ? list_vendors(hidden, settings) : NULL;
	char **changes = change(NULL, &vulkan_variable, settings, vulkan);
	changes = change(changes, &egl_variable, settings, egl);
	if (changes) {
		changes = strings_add(changes, sets_any(changes)
						       ? xstrdup(GPU_UNHIDE_VARIABLE "=" UNHIDE)
						       : xstrdup(GPU_UNHIDE_VARIABLE));
	}
	free(vulkan);
	free(egl);
	return changes;
}

static void remove_inherited(const struct variable *variable)
{
	if (is_inherited(variable, getenv(variable->name))) {
		unsetenv(variable->name);
		unsetenv(variable->copy);
	}
}

void gpu_environment_show_others(void)
{
	remove_inherited(&vulkan_variable);
	remove_inherited(&egl_variable);
	unsetenv(GPU_UNHIDE_VARIABLE);
}

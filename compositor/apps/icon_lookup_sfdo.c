/* SPDX-License-Identifier: MIT */
/* Lookup of icons with libsfdo, loaded for each one: the lists of a theme's files take memory. */

#include "apps/icon_lookup.h"
#include "util/library.h"
#include "util/xalloc.h"
#include <stddef.h>

#ifdef CAUSEWAY_SFDO

#include <sfdo-icon.h>
#include <stdlib.h>
#include <string.h>

struct library {
	void *handle;
	__typeof__(sfdo_icon_ctx_create) *create;
	__typeof__(sfdo_icon_ctx_destroy) *destroy;
	__typeof__(sfdo_icon_theme_load_from) *load;
	__typeof__(sfdo_icon_theme_destroy) *theme_destroy;
	__typeof__(sfdo_icon_theme_lookup) *lookup;
	__typeof__(sfdo_icon_file_get_path) *get_path;
	__typeof__(sfdo_icon_file_destroy) *file_destroy;
};

static bool library_open(struct library *library)
{
	void *handle = dlopen("libsfdo-icon.so.0", RTLD_NOW | RTLD_LOCAL);
	library->handle = handle;
	return handle && library_find(handle, "sfdo_icon_ctx_create", &library->create) &&
	       library_find(handle, "sfdo_icon_ctx_destroy", &library->destroy) &&
	       library_find(handle, "sfdo_icon_theme_load_from", &library->load) &&
	       library_find(handle, "sfdo_icon_theme_destroy", &library->theme_destroy) &&
	       library_find(handle, "sfdo_icon_theme_lookup", &library->lookup) &&
	       library_find(handle, "sfdo_icon_file_get_path", &library->get_path) &&
	       library_find(handle, "sfdo_icon_file_destroy", &library->file_destroy);
}

static void library_close(struct library *library)
{
	if (library->handle) {
		dlclose(library->handle);
	}
}

bool icon_lookup_has_sfdo(void)
{
	struct library library;
	const bool found = library_open(&library);
	library_close(&library);
	return found;
}

static char *look_up(const struct library *library, struct sfdo_icon_theme *theme, const char *name,
	int size, bool svg)
{
	const int options = SFDO_ICON_THEME_LOOKUP_OPTION_NO_RESCAN |
			    (svg ? 0 : SFDO_ICON_THEME_LOOKUP_OPTION_NO_SVG);
	struct sfdo_icon_file *file = library->lookup(theme, name, SFDO_NT, size, 1, options);
	char *path = file && file != SFDO_ICON_FILE_INVALID ? xstrdup(library->get_path(file, NULL))
							    : NULL;
	library->file_destroy(file);
	return path;
}

static char *find_with(
	const struct library *library, char *const *folders, const char *name, int size, bool svg)
{
	size_t n = 0;
	while (folders[n]) {
		n++;
	}
	struct sfdo_string *paths = xcalloc(n + 1, sizeof(*paths));
	for (size_t i = 0; i < n; i++) {
		paths[i] = (struct sfdo_string){folders[i], strlen(folders[i])};
	}
	struct sfdo_icon_ctx *context = library->create(NULL);
	struct sfdo_icon_theme *theme =
		context ? library->load(context, ICON_THEME, paths, n,
				  SFDO_ICON_THEME_LOAD_OPTION_RELAXED |
					  SFDO_ICON_THEME_LOAD_OPTION_ALLOW_MISSING)
			: NULL;
	char *path = theme ? look_up(library, theme, name, size, svg) : NULL;
	library->theme_destroy(theme);
	library->destroy(context);
	free(paths);
	return path;
}

char *icon_lookup_sfdo(char *const *folders, const char *name, int size, bool svg)
{
	struct library library;
	char *path = library_open(&library) ? find_with(&library, folders, name, size, svg) : NULL;
	library_close(&library);
	return path;
}

#else

bool icon_lookup_has_sfdo(void)
{
	return false;
}

char *icon_lookup_sfdo(char *const *folders, const char *name, int size, bool svg)
{
	return NULL;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: configuration files. The parser opens no files and compiles no keymaps of the
 * machine, which would take a hundred times as long as parsing.
 */

#include "config/config.h"
#include "config/parser.h"
#include "fuzz/target.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Replaced at link level (--wrap). */
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
void __wrap_config_bind_defaults(struct config *config);
struct xkb_context *__wrap_xkb_context_new(enum xkb_context_flags flags);
struct xkb_keymap *__wrap_xkb_keymap_new_from_names(struct xkb_context *context,
	const struct xkb_rule_names *names, enum xkb_keymap_compile_flags flags);
struct xkb_context *__real_xkb_context_new(enum xkb_context_flags flags);

/** Two keys of two levels; the digit is shifted, as on French keyboards. */
static const char keymap_text[] =
	"xkb_keymap {\n"
	"xkb_keycodes { <AE01> = 10; <AD01> = 24; };\n"
	"xkb_types { type \"TWO_LEVEL\" { modifiers = Shift; map[Shift] = Level2; }; };\n"
	"xkb_compatibility { };\n"
	"xkb_symbols {\n"
	"key <AE01> { type = \"TWO_LEVEL\", [ ampersand, 1 ] };\n"
	"key <AD01> { type = \"TWO_LEVEL\", [ q, at ] };\n"
	"};\n"
	"};\n";

/** Opens the null device as an included file; other files are missing. */
int __wrap_open64(const char *path, int flags, ...)
{
	if (strcmp(path, "/dev/null") == 0) {
		return __real_open64(path, flags);
	}
	errno = ENOENT;
	return -1;
}

/* Binds only two of the defaults: one of each kind. */
void __wrap_config_bind_defaults(struct config *config)
{
	free(config_bind(config, "Super+Return", "spawn foot", NULL));
	free(config_bind(config, "Super+1", "workspace 1", NULL));
}

struct xkb_context *__wrap_xkb_context_new(enum xkb_context_flags flags)
{
	static struct xkb_context *context;
	if (!context) {
		context = __real_xkb_context_new(XKB_CONTEXT_NO_DEFAULT_INCLUDES);
	}
	return xkb_context_ref(context);
}

/** Returns the keymap above, but NULL if the name of the layout begins with "n". */
struct xkb_keymap *__wrap_xkb_keymap_new_from_names(struct xkb_context *context,
	const struct xkb_rule_names *names, enum xkb_keymap_compile_flags flags)
{
	static struct xkb_keymap *keymap;
	if (names->layout && names->layout[0] == 'n') {
		return NULL;
	}
	if (!keymap) {
		keymap = xkb_keymap_new_from_string(
			context, keymap_text, XKB_KEYMAP_FORMAT_TEXT_V1, 0);
	}
	if (!keymap) {
		abort(); /* the text above is wrong */
	}
	return xkb_keymap_ref(keymap);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *error = NULL;
	FILE *stream = target_open(data, size);
	struct config *config = config_parse("/nonexistent/causeway.ini", stream, &error);
	fclose(stream);
	if (!config != (error != NULL)) {
		abort(); /* an error lacks its message, or a message its error */
	}
	if (config) {
		free(config_find_mistakes(config));
	}
	config_destroy(config);
	free(error);
	return 0;
}

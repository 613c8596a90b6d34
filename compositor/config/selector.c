/* SPDX-License-Identifier: MIT */
/*
 * Syntax of GPU selectors: those of DRI_PRIME, and further names. GPUs are looked up when needed.
 */

#include "parser.h"
#include "util/xalloc.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/** Matches a pattern in which x stands for a lower-case hexadecimal digit. */
static bool matches(const char *text, const char *pattern)
{
	for (; *pattern; text++, pattern++) {
		bool digit = isdigit((unsigned char)*text) || (*text >= 'a' && *text <= 'f');
		if (*pattern == 'x' ? !digit : *text != *pattern) {
			return false;
		}
	}
	return *text == '\0';
}

/* Returns true for the prefix followed by one to `most` characters of `allowed`. */
static bool is_prefixed(const char *text, const char *prefix, const char *allowed, int most)
{
	while (*prefix) {
		if (*text++ != *prefix++) {
			return false;
		}
	}
	int n = 0;
	while (text[n] && n <= most && strchr(allowed, text[n])) {
		n++;
	}
	return n >= 1 && n <= most && text[n] == '\0';
}

static bool is_render_node(const char *text)
{
	return is_prefixed(text, "renderD", "0123456789", 6);
}

/* Matches the names of devices outside a PCI bus: "platform-fd4a0000_gpu". */
static bool is_platform_device(const char *text)
{
	return is_prefixed(text, "platform-",
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", 64);
}

bool config_selector_is_remote(const char *selector)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._@-";
	const size_t prefix = strlen(CONFIG_REMOTE);
	/* A name that begins with a dash would be an option of ssh. */
	if (strncmp(selector, CONFIG_REMOTE, prefix) != 0 || selector[prefix] == '-') {
		return false;
	}
	const char *host = selector + prefix, *port = strchr(host, ':');
	const size_t length = strspn(host, allowed);
	return length > 0 && length <= 255 &&
	       (port ? host + length == port && is_prefixed(port, ":", "0123456789", 5)
		     : host[length] == '\0');
}

bool config_names_remote(const struct config *config)
{
	const struct config_alias *alias;
	const struct config_app *app;
	bool found = false;
	wl_list_for_each (alias, &config->gpu.aliases, link) {
		found = found || config_selector_is_remote(alias->selector);
	}
	wl_list_for_each (app, &config->apps, link) {
		found = found || (app->gpu && config_selector_is_remote(app->gpu));
	}
	return found;
}

/* Returns true for a well-formed selector that is no alias. */
static bool config_selector_is_plain(const char *selector)
{
	return strcmp(selector, "integrated") == 0 || strcmp(selector, "discrete") == 0 ||
	       strcmp(selector, "display") == 0 || matches(selector, "pci-xxxx_xx_xx_x") ||
	       matches(selector, "xxxx:xxxx") || is_render_node(selector) ||
	       is_platform_device(selector) || config_selector_is_remote(selector);
}

const char *config_selector_resolve(const struct config *config, const char *selector)
{
	const struct config_alias *alias;
	wl_list_for_each (alias, &config->gpu.aliases, link) {
		if (strcmp(alias->name, selector) == 0) {
			return alias->selector;
		}
	}
	return selector;
}

bool config_selector_valid(const struct config *config, const char *selector)
{
	return config_selector_resolve(config, selector) != selector ||
	       config_selector_is_plain(selector);
}

const char *config_primary_gpu(const struct config *config)
{
	const char *primary = config->gpu.primary;
	return primary ? config_selector_resolve(config, primary) : NULL;
}

void config_set_alias(struct config_parser *parser, const char *key, const char *value)
{
	struct config *config = parser->config;
	const char *name = key + strlen("alias.");
	if (!*name ||
		strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") !=
			strlen(name) ||
		config_selector_is_plain(name)) {
		config_fail(parser, key,
			"an alias must be a name of letters, digits, - and _ that "
			"is no selector itself");
		return;
	}
	if (!config_selector_is_plain(value)) {
		config_fail(parser, key,
			"'%s' is no GPU; it must be integrated, discrete, display, "
			"pci-0000_03_00_0, 1002:73bf or renderD129",
			value);
		return;
	}
	struct config_alias *alias;
	wl_list_for_each (alias, &config->gpu.aliases, link) {
		if (strcmp(alias->name, name) == 0) {
			free(alias->selector);
			alias->selector = xstrdup(value);
			return;
		}
	}
	alias = xcalloc(1, sizeof(*alias));
	alias->name = xstrdup(name);
	alias->selector = xstrdup(value);
	wl_list_insert(config->gpu.aliases.prev, &alias->link);
}

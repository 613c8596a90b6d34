/* SPDX-License-Identifier: MIT */
/* Terminals: the one to use, and the option before the command that it runs. */

#include "terminal.h"
#include "util/file.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/** Terminals that take a command otherwise than after "-e". */
static const struct {
	const char *name, *option; /* NULL: none */
} conventions[] = {
	{"xdg-terminal-exec", NULL},
	{"foot", NULL},
	{"footclient", NULL},
	{"gnome-terminal", "--"},
	{"kgx", "--"},
	{"ptyxis", "--"},
	{"mate-terminal", "-x"},
	{"terminator", "-x"},
	{"xfce4-terminal", "-x"},
};

static const char *option_of(const char *terminal)
{
	const char *slash = strrchr(terminal, '/'), *name = slash ? slash + 1 : terminal;
	for (size_t i = 0; i < sizeof(conventions) / sizeof(conventions[0]); i++) {
		if (strcmp(conventions[i].name, name) == 0) {
			return conventions[i].option;
		}
	}
	return "-e";
}

/** Splits at spaces: users write options of their terminal into $TERMINAL. */
static char **split(const char *line)
{
	char **words = NULL, *copy = xstrdup(line), *rest = NULL;
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		words = strings_add(words, xstrdup(word));
	}
	free(copy);
	return words;
}

char **terminal_arguments(char *const *argv)
{
	const char *const candidates[] = {getenv("TERMINAL"), "xdg-terminal-exec", "foot"};
	char **words = NULL;
	for (size_t i = 0; !words && i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		words = candidates[i] ? split(candidates[i]) : NULL;
		if (words && !file_has_program(words[0])) {
			strings_destroy(words);
			words = NULL;
		}
	}
	const char *option = words ? option_of(words[0]) : NULL;
	words = option ? strings_add(words, xstrdup(option)) : words;
	for (; words && *argv; argv++) {
		words = strings_add(words, xstrdup(*argv));
	}
	return words;
}

/* SPDX-License-Identifier: MIT */
/*
 * action_texts FORMAT [TEMPLATE]: prints the rows of config/actions.def for the manual, a
 * completion or the help of causewayctl. They replace the line @ACTIONS@ of the template.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
#define ARGUMENT(kind, need, words, other) kind,
#include "config/actions.def"
	N_KINDS,
};

static const struct argument {
	const char *words[9];
	const char *other;
} arguments[] = {
#define ARGUMENT(kind, need, words, other) {words, other},
#include "config/actions.def"
};

static const struct action {
	const char *name;
	enum kind argument;
	const char *effect, *details;
} actions[] = {
#define ACTION(name, function, argument, effect, details) {name, argument, effect, details},
#include "config/actions.def"
	{0},
};

static void print_words(enum kind kind, const char *separator)
{
	for (const char *const *word = arguments[kind].words; *word; word++) {
		printf("%s%s", word == arguments[kind].words ? "" : separator, *word);
	}
}

static void print_manual(void)
{
	for (const struct action *action = actions; action->name; action++) {
		const struct argument *argument = &arguments[action->argument];
		printf("|  *%s*\n:  ", action->name);
		print_words(action->argument, ", ");
		if (argument->other) {
			printf("%s%s", argument->words[0] ? " or " : "", argument->other);
		}
		printf("\n:  %s%s%s\n", action->effect, *action->details ? ". " : "",
			action->details);
	}
}

/* Without an argument: the names of all actions. */
static void print_bash(void)
{
	puts("_causewayctl_action_words()\n{\n\tcase $1 in");
	for (enum kind kind = 0; kind < N_KINDS; kind++) {
		const char *separator = "\t";
		for (const struct action *action = actions; action->name; action++) {
			if (action->argument == kind && arguments[kind].words[0]) {
				printf("%s%s", separator, action->name);
				separator = " | ";
			}
		}
		if (arguments[kind].words[0]) {
			printf(") echo \"");
			print_words(kind, " ");
			puts("\" ;;");
		}
	}
	printf("\t\"\") echo \"");
	for (const struct action *action = actions; action->name; action++) {
		printf("%s%s", action == actions ? "" : " ", action->name);
	}
	puts("\" ;;\n\tesac\n}");
}

static void print_zsh(void)
{
	puts("local -a actions=(");
	for (const struct action *action = actions; action->name; action++) {
		printf("\t'%s:%s'\n", action->name, action->effect);
	}
	puts(")\nlocal -A action_words=(");
	for (const struct action *action = actions; action->name; action++) {
		if (arguments[action->argument].words[0]) {
			printf("\t%s '", action->name);
			print_words(action->argument, " ");
			puts("'");
		}
	}
	puts(")");
}

static void print_fish(void)
{
	for (const struct action *action = actions; action->name; action++) {
		printf("complete -c causewayctl -f -n '__causewayctl_follows action' -a %s "
		       "-d '%s'\n",
			action->name, action->effect);
		if (arguments[action->argument].words[0]) {
			printf("complete -c causewayctl -f "
			       "-n '__causewayctl_follows action %s' -a '",
				action->name);
			print_words(action->argument, " ");
			puts("'");
		}
	}
}

static void print_help(void)
{
	for (const struct action *action = actions; action->name; action++) {
		const struct argument *argument = &arguments[action->argument];
		printf("{\"%s%s", action->name, action->argument != NONE ? " " : "");
		print_words(action->argument, "|");
		printf("%s", argument->words[0] && argument->other ? "|" : "");
		for (const char *c = argument->other ? argument->other : ""; *c; c++) {
			putchar(toupper((unsigned char)*c));
		}
		printf("\", \"%s\"},\n", action->effect);
	}
}

static const struct {
	const char *name;
	void (*print)(void);
} formats[] = {
	{"manual", print_manual},
	{"bash", print_bash},
	{"zsh", print_zsh},
	{"fish", print_fish},
	{"help", print_help},
	{0},
};

static void print_template(FILE *template, void (*print)(void))
{
	char line[4096];
	while (fgets(line, sizeof(line), template)) {
		if (strcmp(line, "@ACTIONS@\n") == 0) {
			print();
		} else {
			fputs(line, stdout);
		}
	}
}

int main(int argc, char **argv)
{
	/* Characters that a shell, the manual or C treats as special. */
	for (const struct action *action = actions; action->name; action++) {
		if (strpbrk(action->effect, "'\"\\`$*_%\n")) {
			fprintf(stderr, "%s: '%s' is not plain text\n", action->name,
				action->effect);
			return EXIT_FAILURE;
		}
	}
	int i = 0;
	while (argc > 1 && formats[i].name && strcmp(formats[i].name, argv[1]) != 0) {
		i++;
	}
	FILE *template = argc > 2 ? fopen(argv[2], "r") : NULL;
	if (argc < 2 || !formats[i].name || (argc > 2 && !template)) {
		fputs("usage: action_texts manual|bash|zsh|fish|help [TEMPLATE]\n", stderr);
		return EXIT_FAILURE;
	}
	if (template) {
		print_template(template, formats[i].print);
		fclose(template);
	} else {
		formats[i].print();
	}
	return EXIT_SUCCESS;
}

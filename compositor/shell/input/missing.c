/* SPDX-License-Identifier: MIT */
/* Commands of bindings whose program is not installed: the screen says so. */

#include "input.h"
#include "shell/geometry/private.h"
#include "util/file.h"
#include "util/log.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/** Duration (ns) of the message. */
#define MESSAGE_TIME INT64_C(10000000000)
/** Time (ns) for the search in the folders of $PATH. */
#define SEARCH_TIME INT64_C(5000000000)
/** Alternatives of a command that are looked for. */
#define ALTERNATIVES_MAX 4

/** The search for the programs of a command; one at a time, so that a held key causes no more. */
struct missing {
	struct shell *shell;
	struct task *task;
};

struct request {
	char *programs[ALTERNATIVES_MAX]; /* any of them will do */
	int n;
	bool found;
};

/* Returns whether the shell itself runs the command. */
static bool is_built_in(const char *word)
{
	static const char *const words[] = {"case", "cd", "command", "echo", "eval", "exec",
		"export", "false", "for", "if", "kill", "printf", "pwd", "read", "set", "test",
		"trap", "true", "type", "ulimit", "umask", "unset", "until", "wait", "while"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i], word) == 0) {
			return true;
		}
	}
	return strcmp(word, ".") == 0;
}

/* Returns the program that a command begins with; NULL if that takes a shell to find out. */
static char *first_program(const char *command)
{
	command += strspn(command, " \t");
	const size_t length = strcspn(command, " \t;&|");
	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)command[i]) && !strchr("._/+-", command[i])) {
			return NULL;
		}
	}
	char *word = length > 0 ? xasprintf("%.*s", (int)length, command) : NULL;
	if (word && (is_built_in(word) || strstr(word, ".desktop"))) {
		free(word);
		return NULL;
	}
	return word;
}

static void free_request(void *data)
{
	struct request *request = data;
	for (int i = 0; i < request->n; i++) {
		free(request->programs[i]);
	}
	free(request);
}

/* Returns the programs of "A || B", newly allocated; NULL if not all are known. */
static struct request *read_command(const char *command)
{
	struct request *request = xcalloc(1, sizeof(*request));
	for (const char *at = command; at; at = strstr(at, "||")) {
		at += at == command ? 0 : 2;
		char *program = request->n < ALTERNATIVES_MAX ? first_program(at) : NULL;
		if (!program) {
			free_request(request);
			return NULL;
		}
		request->programs[request->n++] = program;
	}
	return request;
}

/* Runs on a thread: the folders may be on a network. */
static void find_programs(void *data)
{
	struct request *request = data;
	for (int i = 0; i < request->n && !request->found; i++) {
		request->found = file_has_program(request->programs[i]);
	}
}

static void report(struct shell *shell, const struct request *request)
{
	if (request->found) {
		return;
	}
	char *text = request->n > 1 ? xasprintf("This key needs %s or %s, which are not installed.",
					      request->programs[0], request->programs[1])
				    : xasprintf("This key needs %s, which is not installed.",
					      request->programs[0]);
	log_warn("%s", text);
	shell_show_message(shell, SHELL_MESSAGE_SESSION, text, MESSAGE_TIME);
	free(text);
}

static void handle_found(void *owner, void *data, int error)
{
	struct missing *missing = owner;
	missing->task = NULL;
	if (!error) {
		report(missing->shell, data);
	}
}

static const struct task_impl task_impl = {
	.run = find_programs,
	.done = handle_found,
	.free = free_request,
};

void missing_check(struct shell *shell, const char *command)
{
	struct missing *missing = shell->private->missing;
	struct request *request = missing->task ? NULL : read_command(command);
	if (!request) {
		return;
	}
	if (!shell->tasks) {
		find_programs(request);
		report(shell, request);
		free_request(request);
		return;
	}
	missing->task = task_start(shell->tasks, NULL, &task_impl, request, missing, SEARCH_TIME);
}

void missing_init(struct shell *shell)
{
	shell->private->missing = xcalloc(1, sizeof(*shell->private->missing));
	shell->private->missing->shell = shell;
}

void missing_finish(struct shell *shell)
{
	struct missing *missing = shell->private->missing;
	if (missing->task) {
		task_abandon(missing->task);
	}
	free(missing);
}

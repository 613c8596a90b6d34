/* SPDX-License-Identifier: MIT */
/* Assignments of programs to X servers, by facts about their processes. */

#include "assignment.h"
#include "programs.h"
#include "util/process.h"
#include "util/xalloc.h"
#include "wine.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** Options whose value is a window of another program. */
static const char *const window_options[] = {
	"--wid", "-wid", "-into", "-window-id", "--window-id", "--xid", "--embed"};

/** Folders of programs that have nothing to do with each other, besides those of $PATH. */
static const char *const common_folders[] = {"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/games",
	"/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/local/bin", "/usr/local/sbin"};

unsigned x_assignment_facts(void)
{
	return PROCESS_EXE | PROCESS_CMDLINE | PROCESS_ENVIRONMENT | PROCESS_ANCESTORS;
}

/** Returns whether a word of the command line is `option`, or begins with "OPTION=". */
static bool has_option(const char *cmdline, const char *option)
{
	const size_t length = strlen(option);
	for (const char *found = cmdline; (found = strstr(found, option)); found += length) {
		if (found != cmdline && found[-1] == ' ' && strchr(" =", found[length])) {
			return true;
		}
	}
	return false;
}

static bool draws_into_window(const struct process *process)
{
	bool found = process->x_window;
	for (size_t i = 0; !found && process->cmdline &&
			   i < sizeof(window_options) / sizeof(window_options[0]);
		i++) {
		found = has_option(process->cmdline, window_options[i]);
	}
	return found;
}

static bool is_common_folder(const char *exe, size_t length)
{
	for (size_t i = 0; i < sizeof(common_folders) / sizeof(common_folders[0]); i++) {
		if (strlen(common_folders[i]) == length &&
			strncmp(common_folders[i], exe, length) == 0) {
			return true;
		}
	}
	const char *folders = getenv("PATH");
	while (folders && *folders) {
		const size_t n = strcspn(folders, ":");
		if (n == length && strncmp(folders, exe, length) == 0) {
			return true;
		}
		folders += n + (folders[n] == ':');
	}
	return false;
}

/** Returns whether two executables are one program: in one folder, which is its own. */
static bool are_one_program(const char *a, const char *b)
{
	const char *slash = a ? strrchr(a, '/') : NULL;
	const size_t length = slash ? (size_t)(slash - a) : 0;
	return slash && b && strncmp(a, b, length + 1) == 0 && !strchr(b + length + 1, '/') &&
	       !is_common_folder(a, length);
}

/** Returns the nearest ancestor among the programs, or NULL. */
static const struct x_program *find_ancestor(
	const struct x_programs *programs, const struct process *process)
{
	for (const struct process *facts = process->parent; facts; facts = facts->parent) {
		const struct x_program *program =
			x_programs_find(programs, facts->pid, facts->start);
		if (program) {
			return program;
		}
	}
	return NULL;
}

/** Returns the nearest ancestor that is the same program, or NULL, with its facts. */
static const struct x_program *find_same_program(const struct x_programs *programs,
	const struct process *process, const struct process **facts)
{
	for (*facts = process->parent; *facts; *facts = (*facts)->parent) {
		const struct x_program *program =
			x_programs_find(programs, (*facts)->pid, (*facts)->start);
		if (program && are_one_program(process->exe, (*facts)->exe)) {
			return program;
		}
	}
	return NULL;
}

static bool are_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/** Returns whether the process itself, not an ancestor, has a choice that `ancestor` lacks. */
static bool has_own_choice(const struct process *process, const struct process *ancestor,
	const struct x_servers_host *host)
{
	struct process alone = *process;
	alone.parent = NULL;
	if (process->wish && !are_equal(process->wish, ancestor->wish)) {
		return true;
	}
	const struct x_choice own = host->choose(host->data, &alone);
	return own.rule && !are_equal(own.rule, host->choose(host->data, ancestor).rule);
}

static struct x_assignment join(const struct x_program *program, const char *relation)
{
	return (struct x_assignment){.server = program->server,
		.reason = xasprintf("%s %d", relation, (int)program->pid)};
}

static struct x_assignment choose(const struct process *process, const struct x_servers_host *host)
{
	const struct x_choice choice = host->choose(host->data, process);
	return (struct x_assignment){.gpu = choice.gpu,
		.reason = choice.rule     ? xasprintf("rule %s", choice.rule)
			  : choice.wished ? xstrdup("CAUSEWAY_GPU")
					  : xstrdup("default")};
}

/** Assigns without regard to Wine. */
static struct x_assignment assign(const struct x_programs *programs, const struct process *process,
	const struct x_servers_host *host)
{
	const struct x_program *ancestor = find_ancestor(programs, process);
	if (ancestor && draws_into_window(process)) {
		return join(ancestor, "draws into a window of");
	}
	const struct process *facts;
	const struct x_program *same = find_same_program(programs, process, &facts);
	if (same && !has_own_choice(process, facts, host)) {
		return join(same, "same program as");
	}
	return choose(process, host);
}

/**
 * Assigns the first program of a Wine prefix. That is often Wine's own explorer.exe, which a
 * program with a rule has started and waits for.
 */
static struct x_assignment assign_wine(const struct x_programs *programs,
	const struct process *process, const struct x_servers_host *host)
{
	const struct x_choice own = host->choose(host->data, process);
	for (const struct process *peer = process->peer; peer && !own.rule && !own.wished;
		peer = peer->peer) {
		const struct x_choice choice = host->choose(host->data, peer);
		if (choice.rule) {
			return (struct x_assignment){.gpu = choice.gpu,
				.reason = xasprintf("rule %s of %d, same Wine prefix", choice.rule,
					(int)peer->pid)};
		}
	}
	return assign(programs, process, host);
}

struct x_assignment x_assign(const struct x_programs *programs, const struct process *process,
	const struct x_servers_host *host)
{
	char *prefix = x_wine_prefix(process);
	const struct x_program *other = prefix ? x_programs_find_prefix(programs, prefix) : NULL;
	struct x_assignment assignment = other    ? join(other, "same Wine prefix as")
					 : prefix ? assign_wine(programs, process, host)
						  : assign(programs, process, host);
	assignment.wine_prefix = prefix;
	return assignment;
}

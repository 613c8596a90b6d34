/* SPDX-License-Identifier: MIT */
/* Programs of a shared display: a list of processes, each watched until its end. */

#include "programs.h"
#include "util/fd.h"
#include "util/process.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void destroy(struct x_program *program)
{
	fd_watch_stop(&program->end);
	fd_close(&program->pidfd);
	wl_list_remove(&program->link);
	program->all->n--;
	free(program->exe);
	free(program->wine_prefix);
	free(program->reason);
	free(program);
}

static void handle_end(void *data)
{
	destroy(data);
}

void x_programs_init(struct x_programs *programs, struct wl_event_loop *loop, struct clock *clock)
{
	*programs = (struct x_programs){.loop = loop, .clock = clock};
	wl_list_init(&programs->list);
}

void x_programs_finish(struct x_programs *programs)
{
	struct x_program *program, *next;
	wl_list_for_each_safe (program, next, &programs->list, link) {
		destroy(program);
	}
}

struct x_program *x_programs_find(const struct x_programs *programs, pid_t pid, uint64_t start)
{
	struct x_program *program;
	wl_list_for_each (program, &programs->list, link) {
		if (program->pid == pid && program->start == start) {
			return program;
		}
	}
	return NULL;
}

struct x_program *x_programs_find_prefix(const struct x_programs *programs, const char *prefix)
{
	struct x_program *program;
	wl_list_for_each (program, &programs->list, link) {
		if (program->wine_prefix && strcmp(program->wine_prefix, prefix) == 0) {
			return program;
		}
	}
	return NULL;
}

struct x_program *x_programs_add(struct x_programs *programs, pid_t pid, uint64_t start, int pidfd)
{
	if (pidfd < 0) {
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	}
	/* A process that existed before and after the descriptor was opened is the one it names. */
	if (pidfd < 0 || programs->n >= X_PROGRAMS_MAX || process_start_time(pid) != start) {
		fd_close(&pidfd);
		return NULL;
	}
	struct x_program *program = xcalloc(1, sizeof(*program));
	program->all = programs;
	program->pid = pid;
	program->start = start;
	program->pidfd = pidfd;
	wl_list_insert(&programs->list, &program->link);
	programs->n++;
	fd_watch_start(&program->end, programs->loop, programs->clock, pidfd, handle_end, program);
	return program;
}

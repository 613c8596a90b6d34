/* SPDX-License-Identifier: MIT */
/* SIGBUS guard: the mapped ranges that each thread reads, and zeros for missing pages. */

#include "sigbus.h"
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <threads.h>
#include <unistd.h>

/* One frame reads few buffers at a time; a deeper nesting than this is a leak of accesses. */
#define DEPTH_MAX 256

struct access {
	const void *owner;
	struct sigbus_range *range;
};

/*
 * Globals, because a signal handler has no other state: the accesses of each thread (faults are
 * delivered to their thread, so no lock is needed), and the handler for other faults. The count
 * includes all threads.
 */
static _Thread_local struct {
	struct access accesses[DEPTH_MAX];
	atomic_int n;
} current;
static struct sigaction previous;
static once_flag installed = ONCE_FLAG_INIT;
static size_t page_size;
static atomic_uint n_failed;

/* Replaces all pages from the fault to the end: after a truncation, they are missing, too. */
static bool patch(struct sigbus_range *range, size_t offset)
{
	/* The kernel cannot split a huge page. */
	size_t page = range->page > page_size ? range->page : page_size;
	size_t start = offset & ~(page - 1);
	size_t missing = atomic_load(&range->missing_from);
	/*
	 * Set this first: another thread that reads the zeros without a fault of its own must see
	 * it.
	 */
	while (start < missing &&
		!atomic_compare_exchange_weak(&range->missing_from, &missing, start)) {
	}
	return mmap((char *)range->base + start, range->size - start, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		       0) != MAP_FAILED;
}

static void pass_on(int signal, siginfo_t *info, void *context)
{
	if (previous.sa_flags & SA_SIGINFO) {
		previous.sa_sigaction(signal, info, context);
	} else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
		previous.sa_handler(signal);
	} else {
		/* Blocked while this handler runs: it ends the process on return. */
		sigaction(SIGBUS, &previous, NULL);
		raise(SIGBUS);
	}
}

static void handle_sigbus(int signal, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	uintptr_t address = (uintptr_t)info->si_addr;
	/* Signals sent by a process carry no address. */
	for (int i = info->si_code > 0 ? atomic_load(&current.n) : 0; i-- > 0;) {
		struct sigbus_range *range = current.accesses[i].range;
		uintptr_t base = (uintptr_t)range->base;
		if (address >= base && address - base < range->size &&
			patch(range, address - base)) {
			errno = saved_errno;
			return;
		}
	}
	pass_on(signal, info, context);
	errno = saved_errno;
}

static void install(void)
{
	struct sigaction action = {
		.sa_sigaction = handle_sigbus, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, &previous);
}

bool sigbus_begin(const void *owner, struct sigbus_range *range)
{
	int n = atomic_load_explicit(&current.n, memory_order_relaxed);
	if (n == DEPTH_MAX) {
		return false;
	}
	if (!range->guaranteed) {
		call_once(&installed, install);
	}
	current.accesses[n] = (struct access){.owner = owner, .range = range};
	/* The handler, on this thread, must see the entry before its number. */
	atomic_signal_fence(memory_order_release);
	atomic_store_explicit(&current.n, n + 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return true;
}

struct sigbus_range *sigbus_end(const void *owner)
{
	struct sigbus_range *range;
	int n = atomic_load_explicit(&current.n, memory_order_relaxed);
	int i = n - 1;
	/* No read of the memory may move past the end of the access. */
	atomic_signal_fence(memory_order_seq_cst);
	while (i >= 0 && current.accesses[i].owner != owner) {
		i--;
	}
	assert(i >= 0 && "no such access in this thread");
	range = current.accesses[i].range;
	/*
	 * Accesses may end in any order. While later entries move down, each stays visible to the
	 * handler, in its old or its new place.
	 */
	for (; i < n - 1; i++) {
		current.accesses[i] = current.accesses[i + 1];
		atomic_signal_fence(memory_order_seq_cst);
	}
	atomic_store_explicit(&current.n, n - 1, memory_order_relaxed);
	return range;
}

void sigbus_count_failed(void)
{
	atomic_fetch_add(&n_failed, 1);
}

unsigned sigbus_n_failed(void)
{
	return atomic_load(&n_failed);
}

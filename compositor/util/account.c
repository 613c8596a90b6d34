/* SPDX-License-Identifier: MIT */
/* Resource accounts: limits of objects, memory, descriptors and mappings per client. */

#include "util/account.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

/** Protocol objects of a client. */
#define OBJECTS_MAX 65536
/** Bytes of a client. */
#define BYTES_MAX (INT64_C(128) << 20)
/** Descriptors, and mappings, of a client: at most, and as a share of the process's limit. */
#define DESCRIPTORS_MAX 4096
#define MAPPINGS_MAX 8192
#define CLIENT_SHARE 4
/** Receivers of a client. */
#define RECEIVERS_MAX 1024
/** Pixels of all clients, as a share of RAM, and of one client. */
#define PIXELS_SHARE 2
#define CLIENT_PIXELS_SHARE 4
/** The kernel's default of vm.max_map_count. */
#define MAP_COUNT 65530

static int64_t descriptor_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > INT32_MAX) {
		return INT32_MAX;
	}
	return (int64_t)limit.rlim_cur;
}

static int64_t mapping_limit(void)
{
	int64_t limit = MAP_COUNT;
	FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
	if (file) {
		long long value;
		if (fscanf(file, "%lld", &value) == 1 && value > 0) {
			limit = value;
		}
		fclose(file);
	}
	return limit;
}

static int64_t memory_size(void)
{
	struct sysinfo info;
	return sysinfo(&info) == 0 ? (int64_t)info.totalram * info.mem_unit : INT64_C(1) << 32;
}

static int64_t share(int64_t limit, int64_t most)
{
	int64_t part = limit / CLIENT_SHARE;
	return part < most ? part : most;
}

struct account_ledger *account_ledger_create(
	void (*closed)(struct account *account, enum account_kind kind, bool total))
{
	int64_t descriptors = descriptor_limit(), mappings = mapping_limit();
	int64_t memory = memory_size();
	struct account_ledger *ledger = xcalloc(1, sizeof(*ledger));
	*ledger = (struct account_ledger){
		.account_limit =
			{
				[ACCOUNT_OBJECTS] = OBJECTS_MAX,
				[ACCOUNT_BYTES] = BYTES_MAX,
				[ACCOUNT_DESCRIPTORS] = share(descriptors, DESCRIPTORS_MAX),
				[ACCOUNT_MAPPINGS] = share(mappings, MAPPINGS_MAX),
				[ACCOUNT_PIXELS] = memory / CLIENT_PIXELS_SHARE,
				[ACCOUNT_RECEIVERS] = RECEIVERS_MAX,
			},
		/* The remainder is reserved for the compositor and its drivers. */
		.total_limit =
			{
				[ACCOUNT_OBJECTS] = INT64_MAX,
				[ACCOUNT_BYTES] = INT64_MAX,
				[ACCOUNT_DESCRIPTORS] = descriptors / 4 * 3,
				[ACCOUNT_MAPPINGS] = mappings / 4 * 3,
				[ACCOUNT_PIXELS] = memory / PIXELS_SHARE,
				[ACCOUNT_RECEIVERS] = INT64_MAX,
			},
		.closed = closed,
		.n_refs = 1,
	};
	wl_list_init(&ledger->accounts);
	return ledger;
}

void account_ledger_unref(struct account_ledger *ledger)
{
	if (ledger && --ledger->n_refs == 0) {
		free(ledger);
	}
}

struct account *account_create(struct account_ledger *ledger, void *owner)
{
	struct account *account = xcalloc(1, sizeof(*account));
	account->ledger = ledger;
	account->n_refs = 1;
	account->scale = 1;
	account->owner = owner;
	wl_list_insert(&ledger->accounts, &account->link);
	ledger->n_refs++;
	return account;
}

struct account *account_ref(struct account *account)
{
	if (account) {
		account->n_refs++;
	}
	return account;
}

void account_unref(struct account *account)
{
	if (!account || --account->n_refs > 0) {
		return;
	}
	account_uncharge(account, ACCOUNT_OBJECTS, account->used[ACCOUNT_OBJECTS]);
	for (int i = 0; i < ACCOUNT_N_KINDS; i++) {
		assert(account->used[i] == 0);
	}
	wl_list_remove(&account->link);
	account_ledger_unref(account->ledger);
	free(account);
}

void account_abandon(struct account *account)
{
	account->owner = NULL;
}

const char *account_kind_name(enum account_kind kind)
{
	static const char *const names[] = {
		[ACCOUNT_OBJECTS] = "objects",
		[ACCOUNT_BYTES] = "bytes",
		[ACCOUNT_DESCRIPTORS] = "descriptors",
		[ACCOUNT_MAPPINGS] = "mappings",
		[ACCOUNT_PIXELS] = "pixels",
		[ACCOUNT_RECEIVERS] = "receivers",
	};
	return names[kind];
}

static void close_account(struct account *account, enum account_kind kind, bool total)
{
	if (!account->is_closed) {
		account->is_closed = true;
		if (account->owner) {
			account->ledger->closed(account, kind, total);
		}
	}
}

/* Leaves out closed accounts, which will be empty soon: their use must close no other account. */
static bool total_is_exceeded(const struct account_ledger *ledger, enum account_kind kind)
{
	int64_t total = ledger->total[kind];
	const struct account *account;
	wl_list_for_each (account, &ledger->accounts, link) {
		total -= account->is_closed ? account->used[kind] : 0;
	}
	return total > ledger->total_limit[kind];
}

/* Compares the use with the limits of the accounts. */
static struct account *find_largest(const struct account_ledger *ledger, enum account_kind kind)
{
	struct account *account, *largest = NULL;
	wl_list_for_each (account, &ledger->accounts, link) {
		if (account->owner && !account->is_closed &&
			(!largest || account->used[kind] * largest->scale >
					     largest->used[kind] * account->scale)) {
			largest = account;
		}
	}
	return largest;
}

bool account_exceed(struct account *account, enum account_kind kind)
{
	const struct account_ledger *ledger = account->ledger;
	if (account->used[kind] > ledger->account_limit[kind] * account->scale) {
		close_account(account, kind, false);
	}
	while (ledger->total[kind] > ledger->total_limit[kind] && total_is_exceeded(ledger, kind)) {
		struct account *largest = find_largest(ledger, kind);
		if (!largest) {
			break;
		}
		close_account(largest, kind, true);
	}
	return !account->is_closed;
}

bool account_set(struct account *account, enum account_kind kind, int64_t amount)
{
	return account_charge(account, kind, amount - account->used[kind]);
}

char *account_strdup(struct account *account, const char *string)
{
	if (!string) {
		return NULL;
	}
	account_charge(account, ACCOUNT_BYTES, (int64_t)strlen(string) + 1);
	return xstrdup(string);
}

void account_free_string(struct account *account, char *string)
{
	if (string) {
		account_uncharge(account, ACCOUNT_BYTES, (int64_t)strlen(string) + 1);
		free(string);
	}
}

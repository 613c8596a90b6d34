/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Resource accounts: objects, memory and descriptors held for each client, by kind, with limits.
 *
 * A ledger has the limits and the sums of all accounts. An account that exceeds its own limit, or
 * has the largest share of a sum that exceeds the ledger's, is closed: the ledger's owner
 * disconnects its client. Refused charges count, too: each account_charge() is paired with one
 * account_uncharge() of the same amount, independent of its result.
 */

#include <stdbool.h>
#include <stdint.h>
#include <wayland-util.h>

enum account_kind {
	/** Protocol objects. Counted now and then, by account_set(). */
	ACCOUNT_OBJECTS,
	/** Memory of the compositor, without the files behind buffers. */
	ACCOUNT_BYTES,
	/** File descriptors, including those queued for sending. */
	ACCOUNT_DESCRIPTORS,
	/** Memory mappings. */
	ACCOUNT_MAPPINGS,
	/**
	 * Bytes of copies of clients' pixels: textures, shadow copies, upload and staging buffers.
	 */
	ACCOUNT_PIXELS,
	/**
	 * Protocol objects to each of which the same event is sent, such as wl_pointer and
	 * wl_output.
	 */
	ACCOUNT_RECEIVERS,
	ACCOUNT_N_KINDS,
};

struct account;

struct account_ledger {
	int64_t account_limit[ACCOUNT_N_KINDS]; /* of each account */
	int64_t total_limit[ACCOUNT_N_KINDS]; /* of the sum */
	int64_t total[ACCOUNT_N_KINDS]; /* the sum */
	struct wl_list accounts; /* account.link */
	int n_refs; /* held by its owner and by each account */
	/**
	 * Mandatory. `account` was closed because of `kind`: disconnect its client in a later turn
	 * of the event loop, since callers still use the object they charge. `total`: the sum was
	 * exceeded, not the account's own limit. Called once per account.
	 */
	void (*closed)(struct account *account, enum account_kind kind, bool total);
};

/** Scale of an account whose client stands for many programs, such as an X server. */
#define ACCOUNT_SCALE_MANY 4

struct account {
	struct account_ledger *ledger;
	int64_t used[ACCOUNT_N_KINDS];
	bool is_closed;
	int scale; /* multiplies the ledger's account_limit; 1 at first */
	int n_refs;
	void *owner; /* the ledger owner's; NULL once the client is destroyed */
	struct wl_list link; /* account_ledger.accounts */
};

/**
 * Sets the limits for this process: each account may have a share of its descriptors and mappings.
 */
struct account_ledger *account_ledger_create(
	void (*closed)(struct account *account, enum account_kind kind, bool total));
/** Frees the ledger after its last account: buffers may still refer to some. Accepts NULL. */
void account_ledger_unref(struct account_ledger *ledger);

struct account *account_create(struct account_ledger *ledger, void *owner);
/** For objects that outlive their client, such as buffers. Accepts and returns NULL. */
struct account *account_ref(struct account *account);
/** Accepts NULL. */
void account_unref(struct account *account);
/** Handles the end of the client: later charges are counted without consequences. */
void account_abandon(struct account *account);

/** "bytes", as in error messages. */
const char *account_kind_name(enum account_kind kind);

/** Slow path of account_charge(): returns false if `account` is closed. */
bool account_exceed(struct account *account, enum account_kind kind);

/**
 * Charges `amount` to the account. Returns false if the account is closed, now or before: its
 * client will be disconnected, and the caller should do only enough to stay consistent. A NULL
 * account (the compositor's own objects, unit tests) has no limit.
 */
static inline bool account_charge(struct account *account, enum account_kind kind, int64_t amount)
{
	if (!account) {
		return true;
	}
	struct account_ledger *ledger = account->ledger;
	account->used[kind] += amount;
	ledger->total[kind] += amount;
	if (account->used[kind] > ledger->account_limit[kind] * account->scale ||
		ledger->total[kind] > ledger->total_limit[kind]) {
		return account_exceed(account, kind);
	}
	return true;
}

static inline void account_uncharge(struct account *account, enum account_kind kind, int64_t amount)
{
	if (account) {
		account->used[kind] -= amount;
		account->ledger->total[kind] -= amount;
	}
}

/** Sets the account's use of a kind to `amount`; returns as account_charge(). */
bool account_set(struct account *account, enum account_kind kind, int64_t amount);

/** Copies a string and charges its bytes; NULL gives NULL. Free it with account_free_string(). */
char *account_strdup(struct account *account, const char *string);
/** Accepts NULL. */
void account_free_string(struct account *account, char *string);

#pragma once

/**
 * Resource accounts: what the compositor holds on behalf of each client, by kind, with limits.
 *
 * A ledger has the limits and the sums of all accounts. An account that exceeds its own limit, or has
 * the largest share of a sum that exceeds the ledger's, is closed: the ledger's owner disconnects its
 * client. Every charge counts, a refused one too, so each account_charge() is paired with one
 * account_uncharge() of the same amount whatever it returned.
 */

#include <stdbool.h>
#include <stdint.h>
#include <wayland-util.h>

enum account_kind {
	/** Protocol objects. Counted from time to time, not with each one: account_set(). */
	ACCOUNT_OBJECTS,
	/** Memory of the compositor's own; not the files behind buffers. */
	ACCOUNT_BYTES,
	/** File descriptors, including those that wait to be sent. */
	ACCOUNT_DESCRIPTORS,
	/** Memory mappings. */
	ACCOUNT_MAPPINGS,
	ACCOUNT_N_KINDS,
};

struct account;

struct account_ledger {
	int64_t account_limit[ACCOUNT_N_KINDS]; /* of each account */
	int64_t total_limit[ACCOUNT_N_KINDS]; /* of the sum */
	int64_t total[ACCOUNT_N_KINDS]; /* the sum */
	struct wl_list accounts; /* account.link */
	int n_refs; /* its owner's and one per account */
	/**
	 * Mandatory. `account` has been closed because of `kind`: stop its client, but not before the event
	 * loop's next turn, since callers still use what they were about to charge. `total`: the sum was
	 * exceeded, not the account's own limit. Called once per account.
	 */
	void (*closed)(struct account *account, enum account_kind kind, bool total);
};

struct account {
	struct account_ledger *ledger;
	int64_t used[ACCOUNT_N_KINDS];
	bool is_closed;
	int n_refs;
	void *owner; /* the ledger owner's; NULL once the client is gone */
	struct wl_list link; /* account_ledger.accounts */
};

/** Sets the limits for this process: of its descriptors and mappings, each account may have a share. */
struct account_ledger *account_ledger_create(
	void (*closed)(struct account *account, enum account_kind kind, bool total));
/** Frees the ledger after its last account: buffers may still refer to some. NULL is legal. */
void account_ledger_unref(struct account_ledger *ledger);

struct account *account_create(struct account_ledger *ledger, void *owner);
/** For objects that outlive their client, such as buffers. NULL is legal and returned. */
struct account *account_ref(struct account *account);
/** NULL is legal. */
void account_unref(struct account *account);
/** The client is gone: later charges are counted, and have no consequence. */
void account_abandon(struct account *account);

/** "bytes", as in error messages. */
const char *account_kind_name(enum account_kind kind);

/** Slow path of account_charge(): false if `account` is closed. */
bool account_exceed(struct account *account, enum account_kind kind);

/**
 * Charges `amount` to the account. Returns false if the account is closed, now or before: its client
 * will be disconnected, and the caller should do no more than it must to stay consistent. A NULL
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
	if (account->used[kind] > ledger->account_limit[kind] ||
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

/** Makes the account's use of a kind `amount`, as counted; returns as account_charge(). */
bool account_set(struct account *account, enum account_kind kind, int64_t amount);

/** Copies a string and charges its bytes. NULL gives NULL. Free it with account_free_string(). */
char *account_strdup(struct account *account, const char *string);
/** NULL is legal. */
void account_free_string(struct account *account, char *string);

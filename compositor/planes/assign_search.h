/* SPDX-License-Identifier: MIT */
#pragma once

/** Functions shared by the files of plane assignment. */

#include "assign.h"

/** Why an entry backs off from now on, in ascending order of certainty. */
enum assign_refusal {
	REFUSAL_NONE, /* it does not */
	REFUSAL_UNTESTED, /* no test was left for it in this frame */
	REFUSAL_TESTED, /* the driver refused it */
};

/** A proposal and the state of its search. */
struct assign_search {
	struct assign_request *request;
	const struct plane *primary;
	uint8_t want[ASSIGN_ENTRIES_MAX]; /* enum scene_place */
	const struct plane *plane[ASSIGN_ENTRIES_MAX];
	int zpos[ASSIGN_ENTRIES_MAX];
	int primary_zpos;
	/** Entries that deserve a plane of their own, in the order of tests. */
	int order[ASSIGN_ENTRIES_MAX];
	int n_order;
	struct assign_config refused; /* the first refused combination */
	/* Cached state of each entry; NULL: the entry is new. */
	const struct assign_remembered *before[ASSIGN_ENTRIES_MAX];
	uint8_t refusal[ASSIGN_ENTRIES_MAX]; /* enum assign_refusal */
	/* The driver refused it in an earlier frame, and nothing changed. */
	bool was_refused[ASSIGN_ENTRIES_MAX];
};

/** assign_rules.c: legal combinations. Returns whether the plane can show the entry's format. */
bool assign_takes_format(const struct plane *plane, const struct assign_entry *entry);
/**
 * Returns whether the plane can show an opaque entry only by the alpha-less variant of its format.
 */
bool assign_lacks_alpha(const struct plane *plane, const struct assign_entry *entry);
/** Returns whether a plane may show the entry, other entries aside. */
bool assign_is_movable(const struct assign_entry *entry);
/**
 * Returns whether the entry may go on a plane now: planes are allowed, and it does not back off.
 */
bool assign_may_move(const struct assign_search *search, int index);
/** Returns whether `above` is visible within the plane that `below` would be on. */
bool assign_overlaps(const struct assign_entry *above, const struct assign_entry *below);
/** Returns whether the proposal displays the same pixels as full composition. */
bool assign_is_legal(const struct assign_search *search);
/** Returns the reason why an entry is composed. */
enum route_reason assign_explain(const struct assign_search *search, int index);

/** assign_cache.c: state kept between frames. */
bool assign_config_equal(const struct assign_config *a, const struct assign_config *b);
/** Returns whether the entry backs off since the driver refused it, as it is, in another frame. */
bool assign_was_refused(const struct assign_search *search, int index);
/** Describes the proposal for comparison; empty if all entries are composed. */
void assign_describe(const struct assign_search *search, struct assign_config *config);
/** Returns the cached state of an entry, or NULL if it is new. `at` is its likely index. */
const struct assign_remembered *assign_find(
	const struct assign_cache *cache, const void *id, int at);
/** Restores the previous proposal if only content has changed since. Returns false otherwise. */
bool assign_recall(struct assign_search *search);
/** Copies the accepted proposal into the results of the entries and the cache. */
void assign_accept(struct assign_search *search);

#pragma once

/** What the files of plane assignment share. */

#include "assign.h"

/** A proposal on its way to be agreed to. */
struct assign_search {
	struct assign_request *request;
	const struct plane *primary;
	uint8_t want[ASSIGN_MAX_ENTRIES]; /* enum scene_place */
	const struct plane *plane[ASSIGN_MAX_ENTRIES];
	int zpos[ASSIGN_MAX_ENTRIES];
	int primary_zpos;
	int order[ASSIGN_MAX_ENTRIES]; /* those worth a plane of their own, as they are tried */
	int n_order;
	struct assign_config refused; /* the first */
	/* Of each entry, what is remembered of it; NULL: it is new. */
	const struct assign_remembered *before[ASSIGN_MAX_ENTRIES];
	bool backs_off[ASSIGN_MAX_ENTRIES]; /* from now on, since the driver refused it */
};

/** assign_rule.c: what goes with what. */
bool assign_takes_format(const struct plane *plane, const struct assign_entry *entry);
/** It takes what is opaque anyway, as the format without alpha that it has. */
bool assign_lacks_alpha(const struct plane *plane, const struct assign_entry *entry);
/** A plane may show it, as far as it alone is concerned. */
bool assign_is_movable(const struct assign_entry *entry);
/** It may be moved now: that is allowed, and it does not rest. */
bool assign_may_move(const struct assign_search *search, int index);
/** Does `above` show anything on the area of the plane that `below` would be on? */
bool assign_overlaps(const struct assign_entry *above, const struct assign_entry *below);
/** Does the proposal make the same picture as composing everything? */
bool assign_is_legal(const struct assign_search *search);
/** Why an entry is composed. */
enum route_reason assign_explain(const struct assign_search *search, int index);

/** assign_memory.c: from frame to frame. */
bool assign_config_equal(const struct assign_config *a, const struct assign_config *b);
/** The proposal as the driver is asked for it; empty if all is composed. */
void assign_describe(const struct assign_search *search, struct assign_config *config);
/** What is remembered of the entry, NULL if it is new; `at`: where it may be. */
const struct assign_remembered *assign_find(
	const struct assign_cache *cache, const void *id, int at);
/** Nothing but content has changed: the proposal is what was agreed to before. */
bool assign_recall(struct assign_search *search);
/** The proposal is agreed to: entries get their results, and all is remembered. */
void assign_settle(struct assign_search *search);

/* SPDX-License-Identifier: MIT */
/*
 * CRTCs of outputs: a maximum matching. An enabled or leased output has a CRTC; a disabled one has
 * it until another needs it. Enabling an output moves enabled ones to other CRTCs if it cannot be
 * enabled otherwise, and as few as possible: by a shortest augmenting path.
 *
 * Planes stay with their CRTC when outputs move, since the kernel refuses to move an active plane
 * to another CRTC (plane_switching_crtc() in drm_atomic.c).
 */

#include "crtc.h"
#include "backend/session.h"
#include <string.h>

/* The kernel's masks have 32 bits. */
#define CRTCS_MAX 32

struct matching {
	struct drm_card *card;
	const struct output_change *changes; /* to be made together */
	size_t n_changes;
	bool moves; /* enabled outputs may change their CRTCs */
	struct drm_output *owner[CRTCS_MAX]; /* by index; NULL: none that needs the CRTC */
	/** Of the search: the output that asks for the CRTC. */
	struct drm_output *asks[CRTCS_MAX];
	struct drm_output *queue[CRTCS_MAX + 1];
	int n_queued;
	uint32_t seen;
};

static bool will_be_enabled(const struct matching *matching, const struct drm_output *output)
{
	for (size_t i = 0; i < matching->n_changes; i++) {
		const struct output_change *change = &matching->changes[i];
		if (change->output == &output->base && change->state->fields & OUTPUT_ENABLED) {
			return change->state->enabled;
		}
	}
	return output->base.enabled;
}

/* The kernel has nothing to do for a disabled output that moves. */
static bool may_move(const struct matching *matching, const struct drm_output *output)
{
	bool off = !output->base.enabled && !output->due;
	return (matching->moves || off) && !output->base.leased && !output->recovery;
}

static int count_crtcs(const struct drm_card *card)
{
	return card->n_crtcs < CRTCS_MAX ? card->n_crtcs : CRTCS_MAX;
}

static void matching_init(struct matching *matching, struct drm_card *card, bool moves,
	const struct output_change *changes, size_t n_changes)
{
	*matching = (struct matching){
		.card = card,
		.changes = changes,
		.n_changes = n_changes,
		.moves = moves,
	};
	for (int i = 0; i < count_crtcs(card); i++) {
		struct drm_output *output = card->crtcs[i].output;
		if (output && (will_be_enabled(matching, output) || output->base.leased ||
				      output->recovery || (output->due && !matching->moves))) {
			matching->owner[i] = output;
		}
	}
}

/* Returns the index of the CRTC that the output owns; -1: none. */
static int find_owned(const struct matching *matching, const struct drm_output *output)
{
	for (int i = 0; i < count_crtcs(matching->card); i++) {
		if (matching->owner[i] == output) {
			return i;
		}
	}
	return -1;
}

/* Hands each CRTC on the path to the output that asks for it. */
static void augment(struct matching *matching, int at)
{
	while (at >= 0) {
		struct drm_output *output = matching->asks[at];
		int before = find_owned(matching, output);
		matching->owner[at] = output;
		if (before >= 0) {
			matching->owner[before] = NULL;
		}
		at = before;
	}
}

static bool can_drive(const struct matching *matching, int crtc, const struct drm_output *output)
{
	return output->possible_crtcs & 1u << crtc && !(matching->seen & 1u << crtc);
}

/* Finds a CRTC without an owner; those of disabled outputs come last. */
static int find_free(const struct matching *matching, const struct drm_output *output)
{
	int held = -1;
	for (int i = 0; i < count_crtcs(matching->card); i++) {
		struct drm_crtc *crtc = &matching->card->crtcs[i];
		if (matching->owner[i] || !can_drive(matching, i, output) ||
			!drm_planes_assign(matching->card, crtc)) {
			continue;
		}
		if (!crtc->output || crtc->output == output) {
			return i;
		}
		held = held < 0 ? i : held;
	}
	return held;
}

/* Finds a CRTC for the output in the matching. Returns false if there is none. */
static bool place(struct matching *matching, struct drm_output *output)
{
	matching->seen = 0;
	matching->n_queued = 1;
	matching->queue[0] = output;
	for (int i = 0; i < matching->n_queued; i++) {
		struct drm_output *asking = matching->queue[i];
		int free = find_free(matching, asking);
		if (free >= 0) {
			matching->asks[free] = asking;
			augment(matching, free);
			return true;
		}
		for (int j = 0; j < count_crtcs(matching->card); j++) {
			struct drm_output *owner = matching->owner[j];
			if (!owner || !can_drive(matching, j, asking)) {
				continue;
			}
			matching->seen |= 1u << j;
			matching->asks[j] = asking;
			if (may_move(matching, owner)) {
				matching->queue[matching->n_queued++] = owner;
			}
		}
	}
	return false;
}

static void set_crtc(struct drm_output *output, struct drm_crtc *crtc)
{
	if (output->crtc && output->crtc->output == output) {
		output->crtc->output = NULL;
	}
	output->crtc = crtc;
	output->base.n_planes = crtc ? crtc->n_planes : 0;
	for (int i = 0; crtc && i < crtc->n_planes; i++) {
		output->base.planes[i] = crtc->planes[i];
	}
	if (crtc) {
		crtc->output = output;
		output->base.planes_id = crtc->id;
	}
}

/* Frees planes that a search has assigned to CRTCs that no output got. */
static void release_unused(struct drm_card *card)
{
	for (int i = 0; i < card->n_crtcs; i++) {
		if (!card->crtcs[i].output) {
			drm_planes_release(&card->crtcs[i]);
		}
	}
}

bool drm_output_bind(struct drm_output *output, struct drm_crtc *crtc)
{
	if (!drm_planes_assign(output->card, crtc)) {
		return false;
	}
	set_crtc(output, crtc);
	return true;
}

const struct drm_crtc *drm_output_sample_crtc(const struct drm_output *output)
{
	if (output->crtc) {
		return output->crtc;
	}
	for (int i = 0; i < count_crtcs(output->card); i++) {
		if (output->possible_crtcs & 1u << i) {
			return &output->card->crtcs[i];
		}
	}
	return NULL;
}

/* Returns true if the output has a CRTC that is another's in the matching. */
static bool loses(const struct matching *matching, const struct drm_output *output)
{
	return output->crtc && find_owned(matching, output) < 0 &&
	       matching->owner[output->crtc->index];
}

static bool is_named(const struct matching *matching, const struct drm_output *output)
{
	for (size_t i = 0; i < matching->n_changes; i++) {
		if (matching->changes[i].output == &output->base) {
			return true;
		}
	}
	return false;
}

/* Lists the outputs that have another CRTC, or none, in the matching. */
static bool list_moves(const struct matching *matching, struct drm_crtc_moves *moves)
{
	struct drm_output *output;
	wl_list_for_each (output, &matching->card->outputs, link) {
		int owned = find_owned(matching, output);
		struct drm_crtc *to = owned >= 0 ? &matching->card->crtcs[owned] : NULL;
		if (to == output->crtc || (!to && !loses(matching, output))) {
			continue;
		}
		if (moves->n == DRM_CRTC_MOVES_MAX) {
			return false;
		}
		bool moved = to && output->crtc && !is_named(matching, output);
		moves->n_moved += moved;
		moves->list[moves->n++] =
			(struct drm_crtc_move){output, output->crtc, to, output->left, moved};
	}
	return true;
}

static struct drm_output *find_output(struct drm_card *card, const struct output *base)
{
	struct drm_output *output;
	wl_list_for_each (output, &card->outputs, link) {
		if (&output->base == base) {
			break;
		}
	}
	return output;
}

static bool find_moves(struct drm_card *card, bool enabled_ones,
	const struct output_change *changes, size_t n, struct drm_crtc_moves *moves)
{
	struct matching matching;
	matching_init(&matching, card, enabled_ones, changes, n);
	moves->n = moves->n_moved = 0;
	for (size_t i = 0; i < n; i++) {
		struct drm_output *output = find_output(card, changes[i].output);
		if (will_be_enabled(&matching, output) && !output->crtc &&
			!place(&matching, output)) {
			release_unused(card);
			return false;
		}
	}
	return list_moves(&matching, moves);
}

bool drm_crtcs_find(struct drm_card *card, const struct output_change *changes, size_t n,
	struct drm_crtc_moves *moves)
{
	/* During a probe, a thread holds locks that a test needs. */
	bool can_test = !drm_card_holds_connectors(card) && card->backend->session->active;
	return find_moves(card, can_test, changes, n, moves);
}

/* Changes the CRTC. The kernel still has an active output where it was. */
static void move(struct drm_output *output, struct drm_crtc *crtc)
{
	if (output->active && !output->left) {
		output->left = output->crtc;
	}
	set_crtc(output, crtc);
	if (output->left == crtc) {
		output->left = NULL;
	}
}

void drm_crtcs_apply(const struct drm_crtc_moves *moves)
{
	for (int i = 0; i < moves->n; i++) {
		move(moves->list[i].output, moves->list[i].to);
	}
}

void drm_crtcs_undo(const struct drm_crtc_moves *moves)
{
	for (int i = 0; i < moves->n; i++) {
		struct drm_crtc *crtc = moves->list[i].to;
		if (crtc && crtc->output == moves->list[i].output) {
			crtc->output = NULL;
		}
	}
	for (int i = 0; i < moves->n; i++) {
		const struct drm_crtc_move *move = &moves->list[i];
		set_crtc(move->output, move->from);
		move->output->left = move->left;
	}
	if (moves->n > 0) {
		release_unused(moves->list[0].output->card);
	}
}

bool drm_outputs_take_crtcs(struct drm_card *card, const struct output_change *changes, size_t n)
{
	struct drm_crtc_moves moves;
	bool done = find_moves(card, false, changes, n, &moves);
	if (done) {
		drm_crtcs_apply(&moves);
		release_unused(card);
	}
	return done;
}

const char *drm_output_lacks(const struct drm_output *output)
{
	struct matching matching;
	struct drm_card *card = output->card;
	if (output->crtc || card->fd < 0) {
		return NULL;
	}
	matching_init(&matching, card, true, NULL, 0);
	bool possible = place(&matching, (struct drm_output *)output);
	release_unused(card);
	if (possible) {
		return NULL;
	}
	for (int i = 0; i < count_crtcs(card); i++) {
		const struct drm_output *owner = matching.owner[i];
		if (output->possible_crtcs & 1u << i && owner && owner->base.leased) {
			return "no free CRTC while another output is leased";
		}
	}
	return "no free CRTC: other outputs use all that can drive it";
}

/* A frame that is held names planes of the previous CRTC. */
static void change_crtc(struct drm_output *output, struct drm_crtc *crtc)
{
	output->pending.outdated |= output->pending.held;
	set_crtc(output, crtc);
}

/* Returns the outputs that were to move to where the kernel has them. */
bool drm_crtcs_return(struct drm_card *card)
{
	struct drm_output *output;
	bool any = false;
	wl_list_for_each (output, &card->outputs, link) {
		if (!output->left) {
			continue;
		}
		struct drm_output *holder = output->left->output;
		any = true;
		if (output->crtc && output->crtc->output == output) {
			output->crtc->output = NULL;
		}
		if (holder && holder != output && !holder->left) {
			change_crtc(holder, NULL);
		}
		change_crtc(output, output->left);
		output->left = NULL;
	}
	release_unused(card);
	return any;
}

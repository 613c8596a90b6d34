#pragma once

/** What the files about a GPU's engines (device.c, slot.c, import.c, flight.c) have of each other. */

#include "copy/copier.h"

/** That which is in use for the GPU; NULL: none is. */
struct copy_device *copy_device_find(const struct copier *copier, const struct gpu *gpu);
/** The configuration lets such engines be used. */
bool copier_allows(const struct copier *copier, const struct copy_maker *maker);

/**
 * The engine at an index, opened if need be. NULL and *error: -EINPROGRESS while that is going on, -ENODEV
 * if the GPU has none, or has lost it not long ago; or that there were no descriptors to open it with.
 */
struct copy_engine *copy_slot_open(struct copy_device *device, size_t i, int *error);
/** Also one that is being opened. Its pictures and flights are gone. */
void copy_slot_close(struct copy_device *device, struct copy_slot *slot);
/** It does not work, and is not tried again before its time: said once, with the reason (NULL: unknown). */
void copy_slot_give_up(struct copy_device *device, struct copy_slot *slot, const char *why);
/** As the table of costs has it. */
enum cost_kind copy_slot_kind(const struct copy_device *device, const struct copy_slot *slot);

/** The buffer as an open engine has it, imported once for as long as the buffer lives: 0 or an error. */
int copy_slot_import(struct copy_device *device, struct copy_slot *slot, struct buffer *buffer,
	enum copy_use use, struct copy_image **image);
/** All that it has imported; before it is closed. */
void copy_slot_forget(struct copy_device *device, const struct copy_slot *slot);

/** Takes the fence, which has not ended yet. */
void copy_flight_start(struct copy_device *device, struct copy_slot *slot, struct copy_order *order,
	int fence, int n_rectangles);
/** All of an engine's, or of all engines' (NULL), have failed: whoever hears of it may do anything. */
void copy_flights_fail(struct copy_device *device, const struct copy_slot *slot);
/** All orders are forgotten. */
void copy_flights_drop(struct copy_device *device);
/** Looks after all engines: what has ended, what hangs. */
void copy_device_reap(struct copy_device *device);

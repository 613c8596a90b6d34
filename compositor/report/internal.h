/* SPDX-License-Identifier: MIT */
#pragma once

/** Sections of the hardware report. */

#include "device.h"
#include "record.h"

/** kms.c: describes the KMS device of a GPU: planes, CRTCs, connectors and their properties. */
void report_kms(struct record *record, const struct gpu *gpu);
/**
 * engines.c: tries every copy engine of devices[index] with every kind of memory, and lets the
 * engines of the `n` devices read its copies.
 */
void report_engines(struct record *record, struct report_device *devices, size_t n, size_t index);
/**
 * platforms.c: describes PCI devices without a DRM node, and EGL devices; and the renderer and
 * Vulkan devices of a machine without any GPU that has a node.
 */
void report_platforms(struct record *record, bool no_gpus);

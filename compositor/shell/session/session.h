/* SPDX-License-Identifier: MIT */
#pragma once

/** The session: outputs, layer surfaces and locks. */

#include "shell/shell.h"

/* outputs.c */
void outputs_init(struct shell *shell);
void outputs_finish(struct shell *shell);

/* layer.c */
void layers_init(struct shell *shell);
void layers_finish(struct shell *shell);
void layers_output_removed(struct shell *shell, struct scene_output *output);

/* shell.c */
/** Sets the background to the configured colour, or black while locked. */
void shell_update_background(struct shell *shell);

/* lock_lost.c */
void lock_lost_init(struct shell *shell);
void lock_lost_finish(struct shell *shell);

/* SPDX-License-Identifier: MIT */
#pragma once

/** Resource accounts of connected clients (protocol/client/client_account.c). */

#include "protocol/protocol.h"
#include "util/account.h"

/**
 * Creates the ledger of all clients. A client whose account the ledger closes is disconnected with
 * an error that names the limit.
 */
struct account_ledger *client_ledger_create(void);
/**
 * Opens the account of a client that has just connected. client_account_finish() closes it when the
 * client's resources are destroyed.
 */
void client_account_init(
	struct client *client, struct account_ledger *ledger, struct wl_client *wl_client);
void client_account_finish(struct client *client);

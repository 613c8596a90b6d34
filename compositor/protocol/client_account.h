#pragma once

/** Accounts of connected clients: protocol/client_account.c. */

#include "protocol.h"
#include "util/account.h"

/** Disconnects clients whose account it closes, with an error that names the limit. */
struct account_ledger *client_ledger_create(void);
/**
 * Opens the account of a client that has just connected. client_account_finish() drops it, when the
 * client's resources are gone.
 */
void client_account_init(
	struct client *client, struct account_ledger *ledger, struct wl_client *wl_client);
void client_account_finish(struct client *client);

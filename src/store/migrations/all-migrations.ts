import type { Migration } from 'kysely/migration';
import { createTables } from './0001-create-tables.ts';
import { addRequestsAndLanes } from './0002-add-requests-and-lanes.ts';
import { createIncidents } from './0003-create-incidents.ts';
import { addBatchGuards } from './0004-add-batch-guards.ts';
import { addBatchControl } from './0005-add-batch-control.ts';
import { addIdempotencyKeys } from './0006-add-idempotency-keys.ts';
import { createCardPayments } from './0007-create-card-payments.ts';
import { addClaimTerms } from './0008-add-claim-terms.ts';
import { addRestarts } from './0010-add-restarts.ts';
import { addAcknowledgements } from './0011-add-acknowledgements.ts';
import { addPayoutKinds } from './0012-add-payout-kinds.ts';
import type { ColumnTypes } from './column-types.ts';

/** Every migration ever released, by name. A released one is never changed; a new one sorts behind all others. */
export const migrations = (types: ColumnTypes): Record<string, Migration> => ({
  '0001-create-tables': createTables(types),
  '0002-add-requests-and-lanes': addRequestsAndLanes(),
  '0003-create-incidents': createIncidents(),
  '0004-add-batch-guards': addBatchGuards(),
  '0005-add-batch-control': addBatchControl(),
  '0006-add-idempotency-keys': addIdempotencyKeys(),
  '0007-create-card-payments': createCardPayments(),
  '0008-add-claim-terms': addClaimTerms(),
  '0010-add-restarts': addRestarts(),
  '0011-add-acknowledgements': addAcknowledgements(),
  '0012-add-payout-kinds': addPayoutKinds(),
});

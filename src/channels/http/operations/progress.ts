import { z } from 'zod';
import {
  AWAITING_DECISION_STATES,
  type BatchControl,
  needsAttention,
  type PayoutState,
} from '../../../domain/payout-state.ts';
import { isOverBatch } from '../../../files/intake/known-rows.ts';
import type { Store } from '../../../store/store.ts';
import { ANY_ROLE } from '../route-access.ts';
import { pathId } from './inputs.ts';
import { operation } from './place.ts';
import { visibleBatch } from './visible.ts';

interface BatchProgress {
  /** Rows in each state. */
  byState: [PayoutState, number][];
  control: BatchControl;
  /** The batch itself has ended, too: its rows are compared with the bank's orders. */
  isEnded: boolean;
  /** Every row has ended. */
  isOver: boolean;
  /** Rows that ask people, as stored. */
  asking: number;
  /** Rows that are not started until people undo something: the batch is paused or drained, or a switch is off. */
  keptBack: number;
}

export const PROGRESS = operation({
  method: 'GET',
  path: '/v1/batches/:id/progress',
  tag: 'batches',
  summary: 'How far a batch is, for whoever follows it',
  access: ANY_ROLE,
  input: z.strictObject({ id: pathId }),
  answer: z.looseObject({ byState: z.array(z.tuple([z.string(), z.int()])), isOver: z.boolean() }),
  async run(place, { id }): Promise<BatchProgress> {
    const { store } = place;
    const { batchId, control, endedAt } = await visibleBatch(place, id);
    const byState = await store.stateCounts(batchId);
    return {
      byState: [...byState],
      control,
      isEnded: endedAt !== null,
      isOver: await isOverBatch(store, batchId),
      asking: await shownAsking(store, batchId, byState),
      keptBack: await keptBack(store, batchId, byState, control),
    };
  },
});

async function keptBack(
  store: Store,
  batchId: string,
  byState: ReadonlyMap<PayoutState, number>,
  control: BatchControl,
): Promise<number> {
  const received = byState.get('received') ?? 0;
  if (received === 0 || control === 'paused' || control === 'draining') return received;
  if ((await store.switches()).length === 0 || (await store.releasable(batchId, 1)).length > 0) return 0;
  const { waiting } = await store.inFlight(batchId);
  return received - waiting;
}

async function shownAsking(store: Store, batchId: string, byState: ReadonlyMap<PayoutState, number>): Promise<number> {
  const held = (byState.get('held') ?? 0) === 0 ? [] : await store.rowsIn(batchId, ['held']);
  const byThemselves = held.filter(({ state, reason }) => !needsAttention(state, reason)).length;
  return AWAITING_DECISION_STATES.reduce((sum, state) => sum + (byState.get(state) ?? 0), -byThemselves);
}

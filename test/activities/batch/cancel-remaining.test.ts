import { beforeEach, expect, it } from 'vitest';
import { type CancelAsked, cancelRest } from '../../../src/activities/batch.ts';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import type { Store } from '../../../src/store/store.ts';
import { batchClaim, claimRow, payoutClaim } from '../../store/samples.ts';
import { newStore } from '../../support/empty-store.ts';
import { quickSettings } from '../../support/product.ts';

const IDS = ['a', 'b', 'c'];
const reference = (id: string): string => claimRow(1, id).reference;

let store: Store;
let now: number;
let asked: CancelAsked;
/** Documents whose workflow was asked, in the order of asking. */
let cancels: string[];
let answers: Partial<Record<string, () => boolean>>;

beforeEach(async () => {
  store = await newStore();
  now = 10_000;
  asked = new Map();
  cancels = [];
  answers = {};
  await store.claimBatch(batchClaim('b1', IDS));
  await store.markReleased(IDS.map(reference), 2_000);
  for (const id of IDS) await store.claimPayout(payoutClaim(id, { runId: `${id}-1` }));
});

/** One pulse of a batch that is cancelled; what it asked. */
async function pulse(): Promise<string[]> {
  cancels = [];
  const executions = {
    cancelPayout: async (workflowId: string) => {
      const id = IDS.find((each) => workflowId.endsWith(reference(each))) ?? '';
      cancels.push(id);
      return answers[id]?.() ?? true;
    },
  };
  const deps = { store, executions, settings: quickSettings, now: () => now } as unknown as ActivityDeps;
  await cancelRest(deps, 'b1', asked, () => {});
  return cancels.toSorted();
}

it('asks each run of a payout once', async () => {
  expect(await pulse()).toEqual(IDS);
  expect(await pulse()).toEqual([]);
});

it('asks a run that somebody else has started meanwhile', async () => {
  await pulse();
  await store.claimPayout(payoutClaim('b', { runId: 'b-2' }));
  expect(await pulse()).toEqual(['b']);
});

it('asks a payout that was not open again, after a while', async () => {
  answers.a = () => false;
  await pulse();
  expect(await pulse()).toEqual([]);
  now += quickSettings.quietCheckMs;
  expect(await pulse()).toEqual(['a']);
});

it('asks the others when one does not take it', async () => {
  answers.a = () => {
    throw new Error('deadline exceeded');
  };
  expect(await pulse()).toEqual(IDS);
  now += quickSettings.quietCheckMs;
  expect(await pulse()).toEqual(['a']);
});

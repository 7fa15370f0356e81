import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { SUMMARY } from '../../src/channels/http/operations/state-operations.ts';
import { followBatches } from '../../src/cli/follow-batch.ts';
import type { Session } from '../../src/cli/session.ts';
import { batchSummary, record } from '../reports/records.ts';
import { fakeSession } from '../support/fake-session.ts';

beforeEach(() => {
  for (const stream of [process.stdin, process.stderr]) {
    const { isTTY } = stream;
    stream.isTTY = true;
    onTestFinished(() => void Object.assign(stream, { isTTY }));
  }
});

it('on a terminal, says once who has to act and how while everything open waits for people', async () => {
  const said: string[] = [];
  const rows = [record(1, 'completed'), record(2, 'awaiting-approval', {}, 'approval-required')];
  const summary = await batchSummary(rows);
  const progress = {
    byState: [
      ['completed', 1],
      ['awaiting-approval', 1],
    ],
    ...{ control: 'running', isEnded: false, asking: 1, keptBack: 0 },
  };
  const gateway = { carryOut: async (it: unknown) => (it === SUMMARY ? { summary, liveUrl: null } : progress) };
  const output = { progress() {}, say: (text: string) => said.push(text) };
  const session: Session = fakeSession({ gateway, output });
  expect(await followBatches(session, ['batch-1'], 6_000)).toBe('time-out');
  expect(said).toEqual([expect.stringMatching(/1 payout waiting for approval.*payouts approve \S+/s)]);
}, 15_000);

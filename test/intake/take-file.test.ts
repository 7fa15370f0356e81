import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { takeFile } from '../../src/intake/take-file.ts';
import { csvOf, type Row } from '../e2e/payout-files.ts';
import { openTestDoor, type TestDoor } from '../support/doors.ts';

function file({ dir }: TestDoor, name: string, rows: readonly Row[]): string {
  const path = join(dir, name);
  writeFileSync(path, csvOf(rows));
  return path;
}

const STOP = { invalid: 'stop' } as const;

it('claims and starts a file; its rows under another name are under way, and taken when the batch has ended', async () => {
  const door = await openTestDoor();
  const taking = await takeFile(door, file(door, 'a.csv', [{ id: '1' }, { id: '2' }]), STOP);
  const again = file(door, 'b.csv', [{ id: '2' }, { id: '1' }]);
  if (taking.outcome !== 'claimed') throw new Error(taking.outcome);
  const { batchId } = taking;
  expect(door.started).toEqual([batchId]);
  expect(await takeFile(door, again, STOP)).toEqual({ outcome: 'under-way', batchId });
  await door.end(batchId);
  await expect(takeFile(door, again, STOP)).rejects.toMatchObject({ kind: 'already-taken', batchId });
  expect(await door.store.batches(10)).toHaveLength(1);
});

it('finds the batch it made when it is asked again under its id, and starts it unless it has ended', async () => {
  const door = await openTestDoor();
  const path = file(door, 'a.csv', [{ id: '1' }]);
  const claimed = { outcome: 'claimed', batchId: 'batch-1' };
  expect(await takeFile(door, path, { ...STOP, batchId: 'batch-1' })).toEqual(claimed);
  expect(await takeFile(door, path, { ...STOP, batchId: 'batch-1' })).toEqual(claimed);
  expect(door.started).toEqual(['batch-1', 'batch-1']);
  await door.end('batch-1');
  expect(await takeFile(door, path, { ...STOP, batchId: 'batch-1' })).toEqual(claimed);
  expect(door.started).toHaveLength(2);
});

it('several at once make one batch', async () => {
  const door = await openTestDoor();
  const path = file(door, 'a.csv', [{ id: '1' }, { id: '2' }, { id: '3' }]);
  const takings = await Promise.all([1, 2, 3, 4].map(() => takeFile(door, path, STOP)));
  expect(takings.map(({ outcome }) => outcome).sort()).toEqual(['claimed', 'under-way', 'under-way', 'under-way']);
  expect(new Set(takings.map((taking) => 'batchId' in taking && taking.batchId)).size).toBe(1);
});

it('claims nothing while Temporal does not answer, nor for a plan', async () => {
  const door = await openTestDoor();
  const path = file(door, 'a.csv', [{ id: '1' }]);
  door.temporal.down = true;
  await expect(takeFile(door, path, STOP)).rejects.toThrow('Temporal is down');
  const planned = await takeFile(door, path, { ...STOP, dryRun: true });
  expect(planned).toMatchObject({ outcome: 'planned', document: { schemaVersion: 1, plan: { payouts: 1 } } });
  expect(await door.store.batches(10)).toEqual([]);
});

it('asks who the maker is where a policy needs to know', async () => {
  const door = await openTestDoor({ approvalRules: [{ approvals: 1 }] });
  const path = file(door, 'a.csv', [{ id: '1' }]);
  await expect(takeFile(door, path, STOP)).rejects.toMatchObject({ code: 'maker-unknown' });
  const taking = await takeFile(door, path, { ...STOP, by: 'alice', batchId: 'b' });
  expect(taking.outcome).toBe('claimed');
  expect(await door.store.batch('b')).toMatchObject({ by: 'alice' });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { referenceOf } from '../../../src/domain/identity.ts';
import type { IntakeRefusal } from '../../../src/files/intake/intake-refusal.ts';
import type { TakeOptions } from '../../../src/files/intake/read-input.ts';
import { takeUnpaid } from '../../../src/files/intake/take-file.ts';
import { csvOf } from '../../e2e/payout-files.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';
import { DEFAULT_PAYMENT } from '../../support/product.ts';
import { orThrown, taken } from './taken.ts';

const IDS = ['a', 'b'];
const rulesOf = (error: unknown) => (error as IntakeRefusal).findings.map(({ rule, value }) => [rule, value]);

const takeBoth = (proxy: FaultProxy, options: TakeOptions) => {
  const path = join(proxy.dir, 'two.csv');
  writeFileSync(path, csvOf(IDS.map((id) => ({ id }))));
  return taken(proxy, path, options);
};

/** An order of the document that this store has not sent. */
const sentByAnother = ({ bank }: FaultProxy, id: string, generation = 0, note?: string) =>
  bank.transactions.payment(
    { ...DEFAULT_PAYMENT, reference: referenceOf('u-1001', id, 'payment', generation), note },
    {
      beforeFirstByte: () => {},
    },
  );

it.each([0, 2])(
  'a new store finds rows whose generation %i the bank shows as sent, and takes the others',
  async (generation) => {
    const proxy = await openFaultProxy();
    await sentByAnother(proxy, 'b', generation);
    const refusal = await takeBoth(proxy, { invalid: 'stop' }).catch(rulesOf);
    expect(refusal).toEqual([['at-bank', 'b']]);
    expect(await proxy.store.batches(10)).toEqual([]);
    expect(await takeBoth(proxy, { invalid: 'skip' })).toMatchObject({ outcome: 'claimed' });
    const [batch] = await proxy.store.batches(10);
    expect(batch).toMatchObject({ total: 1 });
  },
);

it('rows are not paid again while the bank shows an order for their document', async () => {
  const proxy = await openFaultProxy();
  const taking = await takeBoth(proxy, { invalid: 'stop' });
  if (taking.outcome !== 'claimed') throw new Error(taking.outcome);
  await proxy.end(taking.batchId, 'failed');
  await sentByAnother(proxy, 'a');
  const again = (rows: number[] | undefined) =>
    orThrown(takeUnpaid(proxy, { batchId: taking.batchId, rows: rows && new Set(rows) }, { invalid: 'stop' }));
  expect(await again(undefined).catch(rulesOf)).toEqual([['retry-not-proven', 'a']]);
  expect(await proxy.store.incidentsOf([referenceOf('u-1001', 'a')])).toMatchObject([{ kind: 'order-after-end' }]);
  expect(await again([2])).toMatchObject({ outcome: 'claimed' });
});

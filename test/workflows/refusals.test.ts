import { expect, it } from 'vitest';
import { referenceOf } from '../../src/domain/identity.ts';
import { until } from '../support/payout-routes.ts';
import { startProduct } from '../support/product.ts';
import { recordHistory } from '../support/record-history.ts';

it('what a payout refuses is in the audit: the approval of its maker, one that nothing awaits, and a cancel that is too late', async () => {
  await using product = await startProduct({ settings: { approvalRules: [{ approvals: 1 }] } });
  const handle = await product.start({ id: 'refused', note: 'sandbox:stuck' }, { by: 'alice' });
  await until(handle, 'awaiting-approval');
  await handle.signal('approve', { by: 'alice' });
  await handle.signal('approve', { by: 'bob' });
  await until(handle, 'processing');
  await handle.signal('reject', { by: 'carol', remark: 'wrong' });
  const cancel = { by: 'dave', reason: 'withdrawn' };
  // Until the order was read, it may still do something.
  await expect.poll(() => handle.executeUpdate('cancel', { args: [cancel] })).toEqual({ outcome: 'too-late' });
  const written = async () =>
    (await product.store.auditEntriesOf(referenceOf('u-1001', 'refused')))
      .filter(({ action }) => action.endsWith(' refused'))
      .map(({ actor, action, detail }) => `${actor}: ${action}, ${detail.why}`)
      .sort();
  await expect
    .poll(written)
    .toEqual([
      'alice: approve refused, the maker may not approve',
      'carol: reject refused, no approval is awaited',
      'dave: cancel refused, too late',
    ]);
  await recordHistory(handle, 'payout', 'refusals-audited');
  await handle.terminate('test');
});

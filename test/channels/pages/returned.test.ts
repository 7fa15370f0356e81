import { expect, it } from 'vitest';
import type { Assessment } from '../../../src/domain/gates.ts';
import { referenceOf } from '../../../src/domain/identity.ts';
import { openGateway } from '../http/running-gateway.ts';
import { claimed } from './asking.ts';
import { Visit } from './visiting.ts';

it('money that came back is a state on every page, with its reason, and leads to the retry', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  const [paid, kept] = await claimed(gateway, [{ id: 'inv-1' }, { id: 'inv-2', amount: '40.00' }], 'alice');
  if (paid === undefined || kept === undefined) throw new Error('two rows are claimed');
  const at = Date.now();
  for (const { reference } of [paid, kept]) await store.changePayout(reference, { state: 'completed', at });
  const back = { amount: '12.50', currency: 'USD', reasonCode: 'AC04', reasonText: 'Konto erloschen', seenAt: at };
  await store.recordReturn({ orderId: 'o-r', reference: paid.reference, ...back });
  await store.recordIncident({ kind: 'returned', reference: paid.reference, orderId: 'o-r', seenAt: at });
  const visit = new Visit(gateway.url);
  const text = async (path: string): Promise<string> => {
    const seen = await visit.send(path);
    expect([path, seen.status]).toEqual([path, 200]);
    return seen.text;
  };
  const why = 'the money came back: 12.50 USD; the account of the payee is closed (AC04)';

  const batch = await text(`/batches/${paid.batchId}`);
  expect(batch).toMatch(/Returned[\s\S]{0,80}1/);
  expect(batch).toContain(why);
  // The totals agree with the tiles: of 52.50 USD, 40.00 USD stayed paid.
  expect(batch).toMatch(/Paid<\/dt><dd>1</);
  expect(batch).toMatch(/data-head="Paid" class="figure"><span class="figure">40\.00 USD/);
  expect(batch).toContain(`/batches/${paid.batchId}/retry`);
  expect(await text(`/batches/${paid.batchId}?state=returned`)).toContain('inv-1');
  expect(await text('/payouts?state=returned')).not.toContain('inv-2');
  expect(await text('/payouts?state=completed')).not.toContain('inv-1');
  // Where a mail about it leads.
  const cameBack = await text('/payouts?returned=yes');
  expect(cameBack).toContain('inv-1');
  expect(cameBack).not.toContain('inv-2');
  expect(cameBack).toContain('name="returned" value="yes" checked');
  expect(await text('/incidents')).toContain('the bank has sent the money of the completed payout back');
  const page = await text(`/payouts/${paid.reference}`);
  expect(page).toContain(why);
  expect(page).toMatch(/<h1>inv-1 <span[^>]*>returned</);
  // Of the bank's own text nothing is shown: it may name people.
  expect(page + batch).not.toContain('Konto erloschen');
  expect(page).not.toContain('Pays again');
  expect(page).toContain(`href="/batches/${paid.batchId}/retry?rows=1">Pay again`);

  const next = { ...paid, row: 1, generation: 1, reference: referenceOf('u-1001', 'inv-1', 'payment', 1) };
  const { reference, instruction, payloadDigest } = next;
  const row = { row: 1, reference, workflowId: `payout/${reference}`, instruction, payloadDigest, generation: 1 };
  await store.claimBatch({ batchId: 'again', file: 'again.csv', sha256: 'x', by: 'alice', rows: [row], at });
  expect(await text(`/payouts/${reference}`)).toContain(`<a href="/payouts/${paid.reference}">`);
  expect(await text(`/payouts/${paid.reference}`)).toContain('pays it again');
});

it('the overview and the page of a payee take off what came back', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  const payee = { uid: 'u-1001', payeeId: 'ben-u1001-us-local' };
  await store.notePayee({ ...payee, digest: 'd', country: 'US', seenAt: 1, items: {}, name: undefined });
  const rows = await claimed(gateway, [{ id: 'inv-1' }, { id: 'inv-2', amount: '40.00' }], 'alice');
  const at = Date.now();
  for (const { reference } of rows) {
    const assessed = { beneficiary: { known: true, id: payee.payeeId, digest: 'd' }, digest: 'x' } as Assessment;
    await store.recordAssessment({ reference, term: 0 }, assessed, at);
    await store.changePayout(reference, { state: 'completed', at });
  }
  const figure = (head: string, amount: string): string =>
    `<td data-head="${head}" class="figure"><span class="figure">${amount} USD</span></td>`;
  const path = `/payees/u-1001/${payee.payeeId}`;
  const before = (await gateway.send(path)).document as string;
  expect(before).toContain(figure('Amount', '52.50'));
  expect(before).not.toContain('eturned');
  const reference = rows[1]?.reference ?? '';
  await store.recordReturn({ orderId: 'o-r', reference, amount: '30.00', currency: 'USD', seenAt: at });
  const after = (await gateway.send(path)).document as string;
  expect(after).toContain(figure('Amount', '52.50'));
  expect(after).toContain(figure('Returned', '30.00'));
  expect(after).toContain(figure('Paid less returned', '22.50'));
  const overview = (await gateway.send('/overview')).document as string;
  expect(overview).toContain(figure('Paid', '52.50'));
  expect(overview).toContain(figure('Returned', '30.00'));
  expect(overview).toContain(figure('Paid less returned', '22.50'));
  expect(overview).toMatch(/<title>\d{4}-\d\d-\d\d: 22\.50 USD<\/title>/);
});

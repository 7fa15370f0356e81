import { expect, it } from 'vitest';
import { because } from '../../../src/domain/reasons.ts';
import { listedPayout } from '../../../src/reports/payout-document.ts';
import { batchClaim, documentIds, payoutClaim } from '../../store/samples.ts';
import { openGateway, type RunningGateway } from './running-gateway.ts';

/** All pages of a list; `between` runs after each of them. */
async function pagesOf(gateway: RunningGateway, path: string, between: () => Promise<unknown> = async () => undefined) {
  const found: Record<string, string>[] = [];
  for (let next: string | null = ''; next !== null; await between()) {
    const { status, document } = await gateway.send(next === '' ? path : `${path}&after=${encodeURIComponent(next)}`);
    expect(status).toBe(200);
    found.push(...(document.payouts ?? document.batches ?? document.incidents));
    next = document.next;
  }
  return found;
}

it('pages payouts while they change: none twice, none missed', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  const ids = documentIds(1_000);
  await store.claimBatch(batchClaim('b-1', ids));
  const rows = await store.searchPayouts({}, { limit: 1_000 });
  let page = 0;
  const found = await pagesOf(gateway, '/v1/payouts?limit=90', async () => {
    page += 1;
    for (const { reference } of rows.filter((_, index) => index % 13 === page)) {
      await store.changePayout(reference, { state: 'completed', at: 5_000 + page });
    }
    await store.claimPayout(payoutClaim(`new-${page}`, { at: 9_000 + page, runId: `run-${page}` }));
  });
  expect(found.map(({ id }) => id)).toEqual(ids);
  for (const payout of found) listedPayout.strict().parse(payout);
});

it('pages the inbox and the incidents while they change', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  await store.claimBatch(batchClaim('b-1', documentIds(30)));
  const rows = await store.searchPayouts({}, { limit: 30 });
  for (const { reference } of rows) {
    await store.changePayout(reference, { state: 'held', reason: because('look-alike'), at: 3_000 });
    await store.recordIncident({ reference, orderId: `o-${reference}`, kind: 'second-order', seenAt: 4_000 });
  }
  const all = rows.map(({ reference }) => reference).sort();
  let page = 0;
  const waiting = await pagesOf(gateway, '/v1/inbox?limit=7', async () => {
    // One that was shown is decided meanwhile, and waits no longer.
    const [shown = ''] = all.slice(page);
    page += 1;
    await store.changePayout(shown, { state: 'completed', reason: null, at: 5_000 });
  });
  type Row = { reference: string };
  expect(waiting.map(({ row }) => (row as unknown as Row).reference)).toEqual(all);
  const { groups, payouts } = (await gateway.send('/v1/inbox?limit=2')).document;
  expect([payouts.length, groups[0].count, groups[0].rows.length]).toEqual([2, all.length - page, 2]);
  const newer = { reference: all[0] ?? '', orderId: 'o-new', kind: 'second-order', seenAt: 9_000 } as const;
  const seen = await pagesOf(gateway, '/v1/incidents?limit=7', () => store.recordIncident(newer));
  expect(seen.map(({ reference }) => reference).sort()).toEqual(all);
  for (const path of ['/v1/inbox?after=x', '/v1/incidents?after=x']) {
    expect((await gateway.send(path)).document.code).toBe('cursor-refused');
  }
});

it('finds a payout by its own number, and by what else is asked', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  await store.claimBatch(batchClaim('b-1', ['INV-1', 'INV-2', 'INV-3']));
  await store.claimBatch(batchClaim('b-2', ['INV-4'], 2_000));
  const [row] = await store.searchPayouts({ documentId: 'INV-2' }, { limit: 1 });
  const { reference = '', uid = '' } = row ?? {};
  await store.changePayout(reference, { state: 'held', reason: because('look-alike'), at: 3_000 });
  const ids = async (query: string) => (await pagesOf(gateway, `/v1/payouts?${query}`)).map(({ id }) => id);
  expect(await ids(`uid=${uid}&id=INV-2`)).toEqual(['INV-2']);
  expect(await ids('states=held,failed')).toEqual(['INV-2']);
  expect(await ids('reason=look-alike')).toEqual(['INV-2']);
  expect(await ids('kinds=transfer')).toEqual([]);
  expect(await ids('from=1970-01-01T00:00:02Z')).toEqual(['INV-4']);
  expect(await ids('before=2000&order=oldest&limit=1')).toEqual(['INV-1', 'INV-2', 'INV-3']);
  expect((await pagesOf(gateway, '/v1/batches/b-1/payouts?states=received')).map(({ id }) => id)).toEqual([
    'INV-1',
    'INV-3',
  ]);
  expect((await pagesOf(gateway, '/v1/batches?limit=1')).map(({ batchId }) => batchId)).toEqual(['b-2', 'b-1']);
  expect((await gateway.send('/v1/payout-totals?states=held')).document.totals).toMatchObject({
    payouts: 1,
    isCut: false,
  });
});

it('shows a payout with why, who acts, what is next and what has happened', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  await store.claimBatch(batchClaim('b-1', ['INV-1']));
  const [row] = await store.searchPayouts({}, { limit: 1 });
  const { reference = '' } = row ?? {};
  await store.changePayout(reference, { state: 'held', reason: because('look-alike'), at: 3_000 });
  const { status, document } = await gateway.send(`/v1/payouts/${reference}`);
  expect(status).toBe(200);
  expect(document).toMatchObject({
    payout: { reference, id: 'INV-1', state: 'held', reason: { code: 'look-alike' } },
    next: {
      kind: 'look-alike',
      requests: expect.arrayContaining([expect.stringMatching(/^POST \/v1\/payouts\/\S+\/decisions \(approve\)$/)]),
    },
    orders: [],
    timeline: [{ who: 'maker', what: 'submitted it', detail: null }],
  });
  expect(JSON.stringify(document)).not.toMatch(/payouts (?:approve|reject)|--by|--remark/);
});

it.each([
  'after=x',
  'after=W10',
  `after=${Buffer.from('["oldest",1,1,"r"]').toString('base64url')}`,
  'limit=0',
  'limit=1001',
  'order=odd',
])('refuses %s', async (query) => {
  const { send } = await openGateway();
  expect((await send(`/v1/payouts?${query}`)).status).toBe(400);
});

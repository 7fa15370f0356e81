import { expect, it } from 'vitest';
import { because } from '../../../src/domain/reasons.ts';
import { listedPayout } from '../../../src/reports/payout-document.ts';
import { batchClaim, documentIds, payoutClaim } from '../../store/samples.ts';
import { apiOf } from './api-client.ts';
import { openGateway } from './running-gateway.ts';

type Page = { data: { payouts?: Shown[]; batches?: Shown[]; incidents?: Shown[]; next: string | null } };
type Shown = Record<string, string>;

/** All pages of a list; `between` runs after each of them. */
async function pagesOf(
  read: (place: { after?: string }) => Promise<Page>,
  between: () => Promise<unknown> = async () => undefined,
) {
  const found: Shown[] = [];
  for (let place: { after?: string } | undefined = {}; place !== undefined; await between()) {
    const { data }: Page = await read(place);
    found.push(...(data.payouts ?? data.batches ?? data.incidents ?? []));
    place = data.next === null ? undefined : { after: data.next };
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
  const api = await apiOf(gateway);
  const next90 = (place: object) => api.listPayouts({ ...place, limit: 90 });
  const found = await pagesOf(next90, async () => {
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
  const api = await apiOf(gateway);
  const next7 = (place: object) => api.getInbox({ ...place, limit: 7 });
  const waiting = await pagesOf(next7, async () => {
    // One that was shown is decided meanwhile, and waits no longer.
    const [shown = ''] = all.slice(page);
    page += 1;
    await store.changePayout(shown, { state: 'completed', reason: null, at: 5_000 });
  });
  type Row = { reference: string };
  expect(waiting.map(({ row }) => (row as unknown as Row).reference)).toEqual(all);
  const { groups, payouts } = (await api.getInbox({ limit: 2 })).data;
  expect([payouts.length, groups[0].count, groups[0].rows.length]).toEqual([2, all.length - page, 2]);
  const newer = { reference: all[0] ?? '', orderId: 'o-new', kind: 'second-order', seenAt: 9_000 } as const;
  const nextIncidents = (place: object) => api.listIncidents({ ...place, limit: 7 });
  const seen = await pagesOf(nextIncidents, () => store.recordIncident(newer));
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
  const api = await apiOf(gateway);
  const ids = async (query: object) =>
    (await pagesOf((place) => api.listPayouts({ ...query, ...place }))).map(({ id }) => id);
  expect(await ids({ uid, id: 'INV-2' })).toEqual(['INV-2']);
  expect(await ids({ states: 'held,failed' })).toEqual(['INV-2']);
  expect(await ids({ reason: 'look-alike' })).toEqual(['INV-2']);
  expect(await ids({ kinds: ['transfer'] })).toEqual([]);
  expect(await ids({ from: '1970-01-01T00:00:02Z' })).toEqual(['INV-4']);
  expect(await ids({ before: '2000', order: 'oldest', limit: 1 })).toEqual(['INV-1', 'INV-2', 'INV-3']);
  const ofBatch = await pagesOf((place) => api.listBatchPayouts('b-1', { ...place, states: ['received'] }));
  expect(ofBatch.map(({ id }) => id)).toEqual(['INV-1', 'INV-3']);
  const batches = await pagesOf((place) => api.listBatches({ ...place, limit: 1 }));
  expect(batches.map(({ batchId }) => batchId)).toEqual(['b-2', 'b-1']);
  expect((await api.getPayoutTotals({ states: ['held'] })).data.totals).toMatchObject({ payouts: 1, isCut: false });
});

it('shows a payout with why, who acts, what is next and what has happened', async () => {
  const gateway = await openGateway();
  const { store } = gateway.proxy;
  await store.claimBatch(batchClaim('b-1', ['INV-1']));
  const [row] = await store.searchPayouts({}, { limit: 1 });
  const { reference = '' } = row ?? {};
  await store.changePayout(reference, { state: 'held', reason: because('look-alike'), at: 3_000 });
  const { data: document } = await (await apiOf(gateway)).getPayout(reference);
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

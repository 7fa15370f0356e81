import { expect, it } from 'vitest';
import { type Ended, QUICK, stackOfFile } from '../support/command.ts';
import { type BatchDocument, batchOf } from './documents.ts';
import { csvOf } from './payout-files.ts';

/**
 * What a client may ask for as soon as it has the answer of a create; nobody waits for a state before it. All of it at once, each
 * about a batch or a card payment of its own.
 */

const home = stackOfFile({ ...QUICK, PAYOUTS_APPROVAL_POLICY: JSON.stringify({ rules: [{ approvals: 1 }] }) });

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function call(method: 'GET' | 'POST', path: string, body?: object | string, bearer?: string): Promise<Answer> {
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const type = typeof body === 'object' ? 'application/json' : 'text/csv';
  const headers = {
    ...(text !== undefined && { 'content-type': type }),
    ...(bearer && { authorization: `Bearer ${bearer}` }),
  };
  const response = await fetch(`${home.stack()?.gatewayUrl}${path}`, { method, body: text, headers });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const temporal = async (...args: string[]): Promise<string> => (await home.temporal('workflow', ...args)).stdout;

interface Act {
  what: string;
  /** `reference`: of the first of two rows. */
  act: (reference: string, batchId: string) => Promise<Answer | Ended | string>;
  answer: unknown;
  /** States of the two rows, then or later; absent: they depend on how far a row was. */
  leads?: [string, string];
}

const ok = (body: object) => ({ status: 200, body: expect.objectContaining(body) });
const said = (text: string) => expect.stringContaining(text);
const control = (name: string) => (_: string, batchId: string) => call('POST', `/v1/batches/${batchId}/${name}?by=ann`);

const ACTS: Act[] = [
  {
    what: 'approve one by the command',
    act: (reference) => home.payouts('approve', reference, '--yes', '--by', 'checker'),
    answer: expect.objectContaining({ code: 0 }),
    leads: ['completed', 'awaiting-approval'],
  },
  {
    what: 'reject one by the command',
    act: (reference) => home.payouts('reject', reference, '--yes', '--by', 'checker', '--remark', 'not ours'),
    answer: expect.objectContaining({ code: 0 }),
    leads: ['rejected', 'awaiting-approval'],
  },
  {
    what: 'approve one by its question, which is there when the create is answered',
    act: async (reference) => {
      const waiting = await call('GET', `/v1/waiting?id=${reference}&states=awaiting-approval&ask=true`);
      const [{ asked }] = waiting.body.payouts as [{ asked: { digest: string } }];
      const { digest } = asked;
      return call('POST', `/v1/payouts/${reference}/decisions`, { decision: 'approve', by: 'checker', digest });
    },
    answer: ok({ outcome: 'approved' }),
    leads: ['completed', 'awaiting-approval'],
  },
  {
    what: 'approve one without its question, which no second try would heal',
    act: (reference) => call('POST', `/v1/payouts/${reference}/decisions`, { decision: 'approve', by: 'checker' }),
    answer: { status: 400, body: expect.objectContaining({ code: 'digest-missing' }) },
    leads: ['awaiting-approval', 'awaiting-approval'],
  },
  {
    what: 'cancel one',
    act: (reference) => call('POST', `/v1/payouts/${reference}/cancel`, { by: 'maker', reason: 'withdrawn' }),
    answer: ok({ outcome: 'cancelled' }),
    leads: ['cancelled', 'awaiting-approval'],
  },
  {
    what: 'cancel one by the command',
    act: (reference) => home.payouts('cancel', reference, '--yes', '--by', 'maker', '--remark', 'withdrawn'),
    answer: expect.objectContaining({ code: 0 }),
    leads: ['cancelled', 'awaiting-approval'],
  },
  {
    what: 'cancel the batch by the command',
    act: (_, batchId) => home.payouts('cancel', batchId, '--yes', '--by', 'maker', '--remark', 'withdrawn'),
    answer: expect.objectContaining({ code: 0 }),
    leads: ['cancelled', 'cancelled'],
  },
  {
    what: 'resolve one, which needs no operator',
    act: (reference) =>
      call('POST', `/v1/payouts/${reference}/resolve`, { action: 'keep-looking', evidence: 'none', by: 'ann' }),
    answer: ok({ refused: said('not needs-operator') }),
    leads: ['awaiting-approval', 'awaiting-approval'],
  },
  {
    what: 'retry the batch, of which nothing is unpaid',
    act: (_, batchId) => call('POST', `/v1/batches/${batchId}/retry`, { by: 'maker' }),
    answer: {
      status: 422,
      body: expect.objectContaining({ error: expect.objectContaining({ code: 'nothing-to-retry' }) }),
    },
    leads: ['awaiting-approval', 'awaiting-approval'],
  },
  { what: 'pause', act: control('pause'), answer: ok({ control: 'paused' }) },
  {
    what: 'pause and resume',
    act: async (...of) => {
      await control('pause')(...of);
      return control('resume')(...of);
    },
    answer: ok({ control: 'running' }),
    leads: ['awaiting-approval', 'awaiting-approval'],
  },
  {
    what: 'cancel the batch',
    act: control('cancel'),
    answer: ok({ control: 'cancelling' }),
    leads: ['cancelled', 'cancelled'],
  },
  {
    what: 'approve the batch by its update',
    act: (_, batchId) => {
      const update = ['--name', 'approve', '--input', '{"by":"checker"}'];
      return temporal('update', 'execute', '--workflow-id', `payout-batch/${batchId}`, ...update);
    },
    answer: said('asked:2'),
    leads: ['completed', 'completed'],
  },
  {
    what: 'approve the batch by the command',
    act: (_, batchId) => home.payouts('approve', batchId, '--yes', '--by', 'checker'),
    answer: expect.objectContaining({ code: 0 }),
    leads: ['completed', 'completed'],
  },
];

it('a client acts on a batch', async () => {
  const begun = ACTS.map(async ({ act }, index) => {
    const csv = csvOf(['1', '2'].map((row) => ({ id: `ACT-${index}-${row}`, amount: `${index + 1}.1${row}` })));
    const { status, body } = await call('POST', '/v1/batches?by=maker', csv);
    const { batchId, payouts } = body as unknown as BatchDocument;
    return { status, batchId, answer: await act(payouts[0]?.reference ?? '', batchId) };
  });
  const acted = await Promise.all(begun);
  expect(acted.map(({ status, answer }, index) => ({ what: ACTS[index]?.what, status, answer }))).toEqual(
    ACTS.map(({ what, answer }) => ({ what, status: 202, answer })),
  );
  const ledTo = async (index: number): Promise<string> => {
    const { payouts } = batchOf(await home.payouts('status', acted[index]?.batchId ?? '', '--json'));
    return payouts.map(({ state }) => state).join();
  };
  for (const [index, { what, leads }] of ACTS.entries()) {
    if (leads !== undefined) await expect.poll(() => ledTo(index), { message: what }).toBe(leads.join());
  }
});

it.each([
  ['shows it', ['show']],
  ['changes its amount', ['amount', '7.00', '--yes', '--by', 'ann']],
  ['cancels it', ['cancel', '--yes', '--by', 'ann', '--remark', 'withdrawn']],
])('the command %s right after it made a card payment', async (_what, [verb = '', ...options]) => {
  const id = `command-${verb}`;
  const made = await home.payouts('card', 'create', '--id', id, '--amount', '49.90', '--currency', 'EUR');
  expect(made).toMatchObject({ code: 0 });
  expect(await home.payouts('card', verb, id, ...options)).toMatchObject({ code: 0 });
});

type CardAct = [path: string, body: object | undefined, by: 'page' | 'backend', answer: unknown];

const accepted = ok({ accepted: true });
const notNow = (message: string) => ({
  status: 409,
  body: expect.objectContaining({ error: expect.objectContaining({ message: said(message) }) }),
});

const CARD_ACTS: CardAct[] = [
  ['', undefined, 'page', ok({ card_payment: expect.objectContaining({ amount: '49.90' }) })],
  ['', undefined, 'backend', ok({ card_payment: expect.objectContaining({ amount: '49.90' }) })],
  ['/fingerprint', {}, 'page', accepted],
  ['/returned', {}, 'page', accepted],
  ['/amount', { amount: '7.00' }, 'backend', ok({ amount: '7.00' })],
  ['/cancel', {}, 'backend', ok({ outcome: 'cancelled' })],
  // What no second try would heal.
  ['/again', {}, 'page', notNow('in the place of this one')],
  ['/resolve', { action: 'keep-looking', evidence: 'none', by: 'ann' }, 'backend', notNow('not needs-operator')],
];

it('a client, or the page of the checkout, acts on a card payment', async () => {
  const answers = CARD_ACTS.map(async ([path, body, by], index) => {
    const id = `act-${index}`;
    const asked = { merchant_request_id: id, amount: '49.90', currency: 'EUR', return_url: 'http://127.0.0.1/back' };
    const made = await call('POST', '/v1/card-payments', asked);
    const bearer = by === 'page' ? (made.body.client_secret as string) : undefined;
    return call(body === undefined ? 'GET' : 'POST', `/v1/card-payments/${id}${path}`, body, bearer);
  });
  expect(await Promise.all(answers)).toEqual(CARD_ACTS.map(([, , , answer]) => answer));
});

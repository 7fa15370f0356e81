import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Bank } from '../../../src/bank/bank.ts';
import { envelopeError } from '../../../src/bank/errors.ts';
import {
  type CreateCardOptions,
  cancelCard,
  changeCardAmount,
  createCard,
  listCards,
  resolveCard,
  retrieveCard,
  showCard,
} from '../../../src/cli/card-actions.ts';
import type { Session } from '../../../src/cli/session.ts';
import { Secret } from '../../../src/platform/config/key.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import type { Store } from '../../../src/store/store.ts';
import { CVV, PAN } from '../../bank/cards/cards.ts';
import { openGateway, type RunningGateway } from '../../channels/http/running-gateway.ts';
import { endsWith } from '../../support/ends-with.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { folderOfFile } from '../../support/new-folder.ts';
import { policyOf, type SigningPerson, signingPerson } from '../../support/people.ts';

const folder = folderOfFile();
let gateway: RunningGateway;
let store: Store;
let session: Session;
let printed: { document: Record<string, unknown>; text: string }[];
let updates: unknown[];
let update: () => unknown;
let started: unknown[];
let isOpen: boolean;

beforeEach(async () => {
  gateway = await openGateway();
  gateway.checkoutAt('http://127.0.0.1:9');
  ({ store } = gateway.proxy);
  [printed, updates, started] = [[], [], []];
  isOpen = true;
  update = () => ({ outcome: 'cancelled', amount: '39.00', accepted: true, message: 'searching again' });
  const client = {
    withDeadline: (_until: number, call: () => unknown) => call(),
    workflow: {
      getHandle: (workflowId: string) => ({
        async executeUpdate(name: string, { args }: { args: unknown[] }) {
          updates.push([workflowId, name, ...args]);
          return update();
        },
        describe: async () => {
          if (isOpen) return { status: { name: 'RUNNING' } };
          throw new WorkflowNotFoundError('closed', workflowId, undefined);
        },
      }),
      start: async (type: string, { workflowId, args }: { workflowId: string; args: unknown[] }) => {
        started.push([type, workflowId, ...args]);
      },
    },
  };
  const stack = { gatewayUrl: gateway.url, apiUrl: 'http://127.0.0.1:9', owner: false };
  session = fakeSession({
    config: loadConfig({ PAYOUTS_HOME: folder }),
    store: async () => store,
    stack: async () => stack,
    client: async () => client,
    bank: () => ({ cards: { retrieveRaw: async (id: string) => ({ payment_id: id, card: '[masked]' }) } }),
    ui: async () => ({ url: 'http://ui.example', namespace: 'default' }),
    output: {
      result: (document: Record<string, unknown>, text: string) => void printed.push({ document, text }),
      say: () => {},
      notify: () => {},
      progress: () => {},
    },
  });
});

const create = (more: Partial<CreateCardOptions> = {}) =>
  createCard(session, {
    ...{ amount: '49.90', currency: 'EUR', id: 'order-1', type: 'DEBIT', '3ds': true, wait: false },
    ...{ returnUrl: undefined, cardFrom: undefined, by: undefined, gateway: undefined, timeout: undefined },
    ...more,
  });

function cardFile(text: string): string {
  const path = join(folder, 'card.json');
  writeFileSync(path, text);
  return path;
}
const notFound = envelopeError(2005, { operation: 'GET payment' });

const CARD = JSON.stringify({ number: PAN, expiry_month: '03', expiry_year: '39', cvv: CVV });

describe('card create', () => {
  it('prints the payment and, on the sandbox, where its checkout page is', async () => {
    expect(await create({ '3ds': false, by: 'alice' })).toBe(0);
    const [{ document, text } = { document: {}, text: '' }] = printed;
    const { client_secret: secret, checkout_url: checkout } = document as {
      client_secret: string;
      checkout_url: string;
    };
    expect(document).toMatchObject({ card_payment: { merchant_request_id: 'order-1' } });
    expect(Object.fromEntries(new URLSearchParams(new URL(checkout).hash.slice(1)))).toEqual({
      gateway: gateway.url,
      id: 'order-1',
      secret,
    });
    expect(text).toContain('http://127.0.0.1:9/checkout#');
    expect(gateway.cards.started).toMatchObject([{ three_ds: 'skip', by: 'alice' }]);
  });

  it('hands over a card from a file, and shows none of it', async () => {
    expect(await create({ cardFrom: cardFile(CARD) })).toBe(0);
    const [input] = gateway.cards.started;
    expect(gateway.cards.vault.use(input?.card?.handle ?? '', 'order-1')).toMatchObject({ card: { number: PAN } });
    expect(JSON.stringify(printed)).not.toContain(PAN);
  });

  it.each([
    ['succeeded', 0],
    ['failed', 5],
    ['needs-operator', 5],
    ['processing', 6],
  ] as const)('followed to %s ends with %i', async (state, exit) => {
    const { change } = store.cards;
    gateway.proxy.temporal.begun = () => change.call(store.cards, 'order-1', { state, at: 5 });
    gateway.cards.states.set('order-1', 'unanswered');
    expect(await create({ wait: true, timeout: 1 })).toBe(exit);
    expect(printed).toMatchObject([{ document: { card_payment: { state } } }]);
  });

  it.each([
    ['a file that is not there', () => create({ cardFrom: join(folder, 'none.json') }), 2, 'card-unreadable'],
    ['a member twice', () => create({ cardFrom: cardFile(`{"number":"1","number":"${PAN}"}`) }), 2, 'card-unreadable'],
    ['a file that is no JSON', () => create({ cardFrom: cardFile(`{${PAN}`) }), 2, 'card-unreadable'],
    ['a wrong card', () => create({ cardFrom: cardFile(CARD.replace(PAN, '4012888888881882')) }), 3, 'card-invalid'],
    ['an amount that is none', () => create({ amount: 'x' }), 2, 'amount-refused'],
    [
      'no address to come back to',
      () => {
        gateway.checkoutAt(undefined);
        return create();
      },
      2,
      'return-url-missing',
    ],
    [
      'a gateway that is gone',
      () => create({ gateway: 'http://127.0.0.1:9', returnUrl: 'x' }),
      7,
      'gateway-unreachable',
    ],
  ])('with %s says so', async (_what, run, exit, code) => {
    const error = await run().catch((it: unknown) => it);
    expect(error).toMatchObject({ kind: endsWith(exit), code });
    expect(JSON.stringify([error, String(error)])).not.toMatch(/\d{12}/);
    expect(gateway.cards.started).toEqual([]);
  });
});

describe('a card payment', () => {
  beforeEach(async () => {
    await create();
    await store.cards.change('order-1', {
      state: 'needs-operator',
      paymentId: 'pay-1',
      bin: '401288',
      lastFour: '1881',
      at: 5,
    });
    await store.cards.linkPayment('pay-1', 'order-1', 5);
    const event = {
      kind: 'status',
      paymentId: 'pay-1',
      status: 'SUCCEEDED',
      trust: 'verified',
      receivedAt: 6,
    } as const;
    await store.cards.receive({ ...event, receiptId: 'm-1', merchantRequestId: 'order-1' });
    printed.length = 0;
  });

  it.each(['order-1', 'pay-1', 'card/order-1'])('is shown with its events under %s', async (id) => {
    expect(await showCard(session, id)).toBeUndefined();
    expect(printed).toMatchObject([
      {
        document: {
          card_payment: { state: 'needs-operator', url: expect.stringContaining('card%2Forder-1') },
          payment_ids: ['pay-1'],
          events: [{ payment_id: 'pay-1', status: 'SUCCEEDED', trust: 'verified', effect: null }],
        },
        text: expect.stringMatching(/401288\*{6}1881[\s\S]*SUCCEEDED +verified +open/),
      },
    ]);
  });

  it('is shown with what an operator can do about it, until it needs none', async () => {
    await showCard(session, 'order-1');
    expect(printed.at(-1)?.text).toContain(
      '\n\nto do         Ask the acquirer for the payment with this merchant_request_id. Then `payouts card resolve order-1 --action adopt-payment` follows it',
    );
    expect(printed.at(-1)?.text).toContain('\n\nevent (UTC)');
    await store.cards.change('order-1', { state: 'succeeded', at: 7 });
    await showCard(session, 'order-1');
    expect(printed.at(-1)?.text).not.toContain('to do');
    const event = { kind: 'status', paymentId: 'pay-1', status: 'SUCCEEDED' } as const;
    await store.cards.recordEventEffect(event, { merchantRequestId: 'order-1', effect: 'contradicts', at: 8 });
    await showCard(session, 'order-1');
    expect(printed.at(-1)?.text).toContain('`payouts card resolve order-1 --action confirm-end` confirms');
  });

  it('is listed, and retrieved by any of its ids', async () => {
    expect(await listCards(session)).toBeUndefined();
    expect(printed[0]?.text).toMatch(/order-1 .* needs-operator +49\.90 +EUR +pay-1/);
    await store.cards.linkPayment('pay-0', 'order-1', 4);
    for (const id of ['order-1', 'card/order-1', 'pay-1', 'pay-0', 'pay-9']) await retrieveCard(session, id);
    const ids = printed.slice(1).map(({ document }) => (document.payment as { payment_id: string }).payment_id);
    expect(ids).toEqual(['pay-1', 'pay-1', 'pay-1', 'pay-0', 'pay-9']);
  });

  it('of which the acquirer has shown nothing yet is not retrieved by its own id', async () => {
    await create({ id: 'order-2' });
    await expect(retrieveCard(session, 'order-2')).rejects.toMatchObject({ kind: endsWith(5), code: 'no-payment-yet' });
  });

  it.each([
    ['a/b', []],
    ['', []],
    ['..', []],
    [PAN, []],
    ['pay-none', ['pay-none']],
  ])('is not retrieved by "%s", which is no id; the acquirer is asked for %j', async (id, expected) => {
    const asked: string[] = [];
    const retrieveRaw = async (paymentId: string) => {
      asked.push(paymentId);
      throw notFound;
    };
    session.bank = async () => ({ cards: { retrieveRaw } }) as unknown as Bank;
    await expect(retrieveCard(session, id)).rejects.toMatchObject({ kind: endsWith(2), code: 'unknown-id' });
    expect(asked).toEqual(expected);
    await expect(retrieveCard(session, 'pay-1')).rejects.toBe(notFound);
  });

  it('is cancelled, changed and resolved by updates on its workflow', async () => {
    const by = { by: 'alice', yes: true };
    expect(await cancelCard(session, 'pay-1', { ...by, remark: 'withdrawn' })).toBe(0);
    expect(await changeCardAmount(session, 'order-1', '39', by)).toBeUndefined();
    const resolution = { action: 'adopt-payment', evidence: 'statement', paymentId: 'pay-2' } as const;
    expect(await resolveCard(session, 'order-1', { ...by, ...resolution })).toBe(0);
    expect(updates).toEqual([
      ['card/order-1', 'cancel', { by: 'alice', reason: 'withdrawn' }],
      ['card/order-1', 'changeAmount', { by: 'alice', amount: '39.00' }],
      ['card/order-1', 'resolve', { by: 'alice', ...resolution }],
    ]);
  });

  it.each([
    ['too late', () => ({ outcome: 'too-late' }), 5],
    ['not accepted', () => ({ accepted: false, message: 'the acquirer shows another amount' }), 5],
  ])('whose answer is "%s" ends with %i', async (what, answer, exit) => {
    update = answer;
    const by = { by: 'alice', yes: true };
    const run = what === 'too late' ? cancelCard(session, 'order-1', { ...by, remark: undefined }) : keepSearching();
    expect(await run).toBe(exit);
  });

  const keepSearching = () =>
    resolveCard(session, 'pay-1', {
      action: 'keep-looking',
      evidence: 'e',
      paymentId: undefined,
      by: 'a',
      yes: true,
    });

  it.each([
    [new WorkflowUpdateFailedError('failed', new Error('the card payment is processing')), 5, 'not-now'],
    [new WorkflowNotFoundError('gone', 'card/order-1', undefined), 2, 'not-running'],
  ])('that cannot be delivered says why: %s', async (error, exit, code) => {
    update = () => {
      throw error;
    };
    await expect(keepSearching()).rejects.toMatchObject({ kind: endsWith(exit), code });
    const detail = { action: 'keep-looking', evidence: 'e', outcome: 'refused', why: expect.any(String) };
    expect((await store.auditEntriesOf('order-1')).at(-1)).toMatchObject({
      actor: 'a',
      action: 'asked to resolve',
      detail,
    });
  });

  it('is not asked to adopt a payment that is not named', async () => {
    const asked = {
      action: 'adopt-payment',
      evidence: 'letter 7',
      paymentId: undefined,
      by: 'alice',
      yes: true,
    } as const;
    const refused = { kind: endsWith(2), hint: expect.stringContaining('--payment-id') };
    await expect(resolveCard(session, 'order-1', asked)).rejects.toMatchObject(refused);
    expect(updates).toEqual([]);
  });

  it('whose end was contradicted has it confirmed, once', async () => {
    const { cards } = store;
    const event = { kind: 'status', paymentId: 'pay-1', status: 'SUCCEEDED' } as const;
    await cards.change('order-1', { state: 'failed', at: 7 });
    await cards.recordEventEffect(event, { merchantRequestId: 'order-1', effect: 'contradicts', at: 8 });
    const confirmEnd = () =>
      resolveCard(session, 'order-1', {
        action: 'confirm-end',
        evidence: 'letter 7',
        paymentId: undefined,
        by: 'alice',
        yes: true,
      });
    expect(await confirmEnd()).toBe(0);
    expect(await cards.get('order-1')).toMatchObject({ state: 'failed', contradictedAt: null });
    expect((await store.auditEntriesOf('order-1')).at(-1)).toMatchObject({
      actor: 'alice',
      detail: { evidence: 'letter 7' },
    });
    await expect(confirmEnd()).rejects.toMatchObject({ code: 'not-contradicted' });
    const again = (await store.auditEntriesOf('order-1')).at(-1);
    expect(again).toMatchObject({ actor: 'alice', action: 'asked to confirm-end', detail: { outcome: 'refused' } });
  });

  it('whose workflow was closed without an end is started again instead of resolved', async () => {
    isOpen = false;
    expect(await keepSearching()).toBe(0);
    expect(started).toMatchObject([
      ['cardPayment', 'card/order-1', { merchant_request_id: 'order-1', amount: '49.90', currency: 'EUR' }],
    ]);
    expect([updates, printed.at(-1)?.document.merchant_request_id]).toEqual([[], 'order-1']);
  });

  it('is decided about with a policy by the key of an operator of its currency', async () => {
    const operator = signingPerson('olga', ['operator'], { currencies: ['EUR'], uids: ['u-1'] });
    const elsewhere = signingPerson('dave', ['operator'], { currencies: ['USD'] });
    const maker = signingPerson('ann', ['maker']);
    const policy = policyOf([operator, elsewhere, maker]);
    const { config } = session;
    const as = (person: SigningPerson | undefined) => {
      const signingKey = new Secret(person?.privateKey);
      const given = { ...config, settings: { ...config.settings, policy }, signingKey };
      return fakeSession({ ...session, config: given });
    };
    const options = { by: undefined, yes: true };
    const resolution = { action: 'close-as-not-paid', evidence: 'statement', paymentId: undefined } as const;
    const asked = (person: SigningPerson | undefined) => [
      () => cancelCard(as(person), 'order-1', { ...options, remark: undefined }),
      () => changeCardAmount(as(person), 'order-1', '39', options),
      () => resolveCard(as(person), 'order-1', { ...options, ...resolution }),
      () => resolveCard(as(person), 'order-1', { ...options, ...resolution, action: 'confirm-end' }),
    ];
    for (const [person, code] of [
      [undefined, 'key-missing'],
      [maker, 'role-missing'],
      [elsewhere, 'outside-scope'],
    ] as const) {
      for (const ask of asked(person)) await expect(ask()).rejects.toMatchObject({ code });
    }
    expect(updates).toEqual([]);
    for (const ask of asked(operator).slice(0, 3)) await ask();
    expect(updates).toMatchObject([
      ['card/order-1', 'cancel', { by: 'olga' }],
      ['card/order-1', 'changeAmount', { by: 'olga' }],
      ['card/order-1', 'resolve', { by: 'olga' }],
    ]);
    const entries = await store.auditEntriesOf('order-1');
    expect(entries.filter(({ actor }) => actor === 'olga')).not.toEqual([]);
  });

  it('is asked about first, and is known', async () => {
    const unasked = { by: 'alice', yes: false, remark: undefined };
    await expect(cancelCard(session, 'order-1', unasked)).rejects.toMatchObject({ code: 'confirmation-needed' });
    await expect(cancelCard(session, 'order-9', unasked)).rejects.toMatchObject({
      kind: endsWith(2),
      code: 'unknown-id',
    });
    await expect(changeCardAmount(session, 'order-1', '0', unasked)).rejects.toMatchObject({ code: 'amount-refused' });
    expect(updates).toEqual([]);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CreateCardOptions, createCard } from '../../../src/cli/card-actions.ts';
import { exitOf } from '../../../src/cli/exit.ts';
import type { Session } from '../../../src/cli/session.ts';
import { CARD_EXAMPLE } from '../../../src/domain/card-number.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { loadConfig } from '../../../src/platform/config.ts';
import { CVV, HOLDER, PAN } from '../../bank/cards/cards.ts';
import { openGateway, type RunningGateway } from '../../channels/http/running-gateway.ts';
import { endsWith } from '../../support/ends-with.ts';
import { fakeSession } from '../../support/fake-session.ts';
import { newFolder } from '../../support/new-folder.ts';

let gateway: RunningGateway;
let session: Session;
let said: string[];

beforeEach(async () => {
  gateway = await openGateway();
  said = [];
  gateway.checkoutAt('http://127.0.0.1:9');
  session = fakeSession({
    config: loadConfig({}),
    stack: async () => ({ gatewayUrl: gateway.url, apiUrl: 'http://127.0.0.1:9' }),
    output: {
      result: (_: unknown, text: string) => said.push('result', text),
      notify: (text: string) => said.push(text),
      progress: () => {},
      say: () => {},
    },
  });
});

const create = (more: Partial<CreateCardOptions> = {}) =>
  createCard(session, {
    ...{ amount: '49.90', currency: 'EUR', id: undefined, type: 'DEBIT', '3ds': true, wait: false },
    ...{ returnUrl: undefined, cardFrom: undefined, by: undefined, gateway: undefined, timeout: undefined },
    ...more,
  });

async function refusalOf(run: Promise<unknown>): Promise<Problem> {
  const error = await run.catch((it: unknown) => it);
  if (error instanceof Problem) return error;
  throw new Error('the command was not refused');
}

const madeId = (): string => said[0]?.replace('Card payment ', '') ?? '';

it('makes an id where none is given, and says it before anything is asked', async () => {
  gateway.proxy.temporal.begun = (workflowId) => said.push(workflowId.replace('card/', 'asked for '));
  expect(await create()).toBe(0);
  expect(madeId()).toMatch(/^[0-9a-f-]{36}$/);
  expect(said.slice(0, 3)).toEqual([`Card payment ${madeId()}`, `asked for ${madeId()}`, 'result']);
});

it('says none where one was given', async () => {
  expect(await create({ id: 'order-1' })).toBe(0);
  expect(said[0]).toBe('result');
});

it('whose answer was lost takes the money once when it is run again as its hint says', async () => {
  const { temporal } = gateway.proxy;
  const { begun } = temporal;
  temporal.begun = (workflowId, input) => {
    begun(workflowId, input);
    throw new Error('the answer was lost');
  };
  const { hint } = await refusalOf(create());
  expect(hint).toMatch(new RegExp(`Run it again with --id ${madeId()}\\.$`));
  const [, id = ''] = /--id (\S+)\.$/.exec(hint) ?? [];
  temporal.begun = begun;
  expect(await create({ id })).toBe(0);
  expect(gateway.cards.started.map(({ merchant_request_id }) => merchant_request_id)).toEqual([id]);
});

it.each([
  ['a gateway that is gone', { gateway: 'http://127.0.0.1:1', returnUrl: 'http://127.0.0.1/' }, 7],
  ['a payment that cannot be followed any more', { wait: true }, 1],
] as const)('names the id after %s', async (what, more, exit) => {
  if (what.startsWith('a payment')) gateway.proxy.temporal.state = () => Promise.reject(new Error('lost'));
  const error = await refusalOf(create(more));
  expect([exitOf(error), error.hint]).toEqual([exit, expect.stringContaining(`Run it again with --id ${madeId()}.`)]);
});

it('for an id of another payment says that another one is needed', async () => {
  await create({ id: 'order-1' });
  const { code, hint } = await refusalOf(create({ id: 'order-1', amount: '50.00' }));
  expect([code, hint]).toEqual(['id-reused', 'Another payment needs another --id.']);
});

it.each([
  ['an id that is a card number', { id: PAN }, 'usage'],
  ['an id that holds one', { id: `order-${PAN}` }, 'usage'],
  ['no address', { gateway: 'gateway.example' }, 'gateway-address'],
  ['an address without a host', { gateway: 'http://' }, 'gateway-address'],
  ['another scheme', { gateway: 'ftp://gateway.example' }, 'gateway-address'],
  ['credentials in the address', { gateway: 'https://user:word@gateway.example' }, 'gateway-address'],
  ['clear text to another machine', { gateway: 'http://gateway.example:8080' }, 'gateway-address'],
] as const)('with %s is a mistake of usage, and starts nothing', async (_what, more, code) => {
  const error = await refusalOf(create({ returnUrl: 'http://127.0.0.1/', ...more }));
  expect(error).toMatchObject({ kind: endsWith(2), code });
  expect(JSON.stringify([error, error.message])).not.toMatch(/4012|word/);
  expect([said, gateway.cards.started]).toEqual([[], []]);
});

describe('everything that is wrong is said in one answer', () => {
  const cardFile = (text: string): string => {
    const folder = newFolder();
    writeFileSync(join(folder, 'card.json'), text);
    return join(folder, 'card.json');
  };
  const printed = ({ findings }: Problem): string[] =>
    findings.map(({ file, column, rule }) => [file, column, rule].filter((it) => it !== null).join(' '));

  it('at the option and the member that was typed, with what to write instead', async () => {
    const card = { number: '4012888888881882', expiry: '03/39', cvc: CVV, holder_name: HOLDER };
    const error = await refusalOf(
      create({ amount: '1.234', returnUrl: 'https://shop.example/', cardFrom: cardFile(JSON.stringify(card)) }),
    );
    expect(printed(error)).toEqual([
      'card create --amount amount-refused',
      'card create --return-url return-url-refused',
      'card.json expiry_month member-missing',
      'card.json expiry_year member-missing',
      'card.json expiry member-unknown',
      'card.json cvc member-unknown',
      'card.json number card-number-invalid',
    ]);
    expect(error.findings[1]?.message).toContain('(PAYOUTS_CARD_RETURN_HOSTS)');
    expect(error.findings[5]?.message).toContain('number, expiry_month, expiry_year, cvv, holder_name');
    expect(error.hint).toContain(CARD_EXAMPLE);
    expect(JSON.stringify([error, error.message, error.findings])).not.toMatch(/4012888888881882|Quillfeather/);
    expect(await gateway.proxy.store.cards.list(9)).toEqual([]);
  });

  it.each([
    ['that is no JSON', '{number: 1}'],
    ['that is missing', undefined],
  ])('also with a file %s, for which nothing is claimed', async (_what, text) => {
    gateway.checkoutAt(undefined);
    const cardFrom = text === undefined ? '/none/card.json' : cardFile(text);
    const error = await refusalOf(create({ gateway: gateway.url, currency: 'eur', cardFrom }));
    expect(printed(error)).toEqual([
      'card create --currency member-invalid',
      'card create --return-url return-url-missing',
      'card.json card-unreadable',
    ]);
    gateway.checkoutAt('http://127.0.0.1:9');
    const alone = await refusalOf(create({ cardFrom }));
    expect([alone.code, printed(alone)]).toEqual(['card-unreadable', ['card.json card-unreadable']]);
    expect(await gateway.proxy.store.cards.list(9)).toEqual([]);
  });

  it('and the example of a card is one', async () => {
    expect(await create({ id: 'order-1', cardFrom: cardFile(CARD_EXAMPLE) })).toBe(0);
    expect(gateway.cards.started).toMatchObject([{ card: { last_four: '0000' } }]);
  });
});

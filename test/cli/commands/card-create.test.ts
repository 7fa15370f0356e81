import { beforeEach, expect, it } from 'vitest';
import { type CreateCardOptions, createCard } from '../../../src/cli/commands/card-create.ts';
import { exitOf } from '../../../src/cli/exit.ts';
import type { Session } from '../../../src/cli/session.ts';
import { loadConfig } from '../../../src/config.ts';
import { Problem } from '../../../src/domain/problem.ts';
import { openGateway, type RunningGateway } from '../../gateway/running-gateway.ts';
import { endsWith } from '../../support/ends-with.ts';
import { PAN } from '../../vault/cards.ts';

let gateway: RunningGateway;
let session: Session;
let said: string[];

beforeEach(async () => {
  gateway = await openGateway();
  said = [];
  session = {
    config: loadConfig({}),
    stack: async () => ({ gatewayUrl: gateway.url, apiUrl: 'http://127.0.0.1:9' }),
    output: { result: () => said.push('result'), tell: (text: string) => said.push(text), progress: () => {} },
  } as unknown as Session;
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
  gateway.cards.start = async ({ merchant_request_id: id }) => void said.push(`asked for ${id}`);
  expect(await create()).toBe(0);
  expect(madeId()).toMatch(/^[0-9a-f-]{36}$/);
  expect(said).toEqual([`Card payment ${madeId()}`, `asked for ${madeId()}`, 'result']);
});

it('says none where one was given', async () => {
  expect(await create({ id: 'order-1' })).toBe(0);
  expect(said).toEqual(['result']);
});

it('whose answer was lost takes the money once when it is run again as its hint says', async () => {
  const { start } = gateway.cards;
  gateway.cards.start = async (input) => {
    await start(input);
    throw new Error('the answer was lost');
  };
  const { hint } = await refusalOf(create());
  expect(hint).toMatch(new RegExp(`Run it again with --id ${madeId()}\\.$`));
  const [, id = ''] = /--id (\S+)\.$/.exec(hint) ?? [];
  gateway.cards.start = start;
  expect(await create({ id })).toBe(0);
  expect(gateway.cards.started.map(({ merchant_request_id }) => merchant_request_id)).toEqual([id]);
});

it.each([
  ['a gateway that is gone', { gateway: 'http://127.0.0.1:1', returnUrl: 'http://127.0.0.1/' }, 7],
  ['an amount that is none', { amount: 'x' }, 2],
  ['a payment that cannot be followed any more', { wait: true }, 1],
] as const)('names the id after %s', async (what, more, exit) => {
  if (what.startsWith('a payment')) gateway.cards.state = async () => Promise.reject(new Error('lost'));
  const error = await refusalOf(create(more));
  expect([exitOf(error), error.hint]).toEqual([exit, expect.stringContaining(`Run it again with --id ${madeId()}.`)]);
});

it('for an id of another payment says that another one is needed', async () => {
  await create({ id: 'order-1' });
  const { code, hint } = await refusalOf(create({ id: 'order-1', amount: '50.00' }));
  expect([code, hint]).toEqual(['id-reused', 'Another payment needs another --id.']);
});

it.each([
  ['an id that is a card number', { id: PAN }, 'id-refused'],
  ['an id that holds one', { id: `order-${PAN}` }, 'id-refused'],
  ['no address', { gateway: 'gateway.example' }, 'gateway-address'],
  ['an address without a host', { gateway: 'http://' }, 'gateway-address'],
  ['another scheme', { gateway: 'ftp://gateway.example' }, 'gateway-address'],
  ['credentials in the address', { gateway: 'https://user:word@gateway.example' }, 'gateway-address'],
  ['clear text to another machine', { gateway: 'http://gateway.example:8080' }, 'gateway-address'],
] as const)('with %s is a mistake of usage, and asks nobody', async (_what, more, code) => {
  const error = await refusalOf(create({ returnUrl: 'https://shop.example', ...more }));
  expect(error).toMatchObject({ kind: endsWith(2), code });
  expect(JSON.stringify([error, error.message])).not.toMatch(/4012|word/);
  expect([said, gateway.cards.started]).toEqual([[], []]);
});

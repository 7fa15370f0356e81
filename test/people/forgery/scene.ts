import { verdictOn } from '../../../src/people/decisions/verdict.ts';
import type { Random } from '../../simulation/random.ts';
import { settingsUnder } from '../../support/people.ts';
import type { SandboxOrder } from '../../support/product.ts';
import { until } from '../../support/until.ts';
import { type Browser, openBrowsers } from './browser.ts';
import type { Name } from './cast.ts';
import { type ForgeryWorld, openForgeryWorld, type Target } from './world.ts';

/** What is there to be stolen, and that nothing of it is. */
export interface Scene extends ForgeryWorld {
  /** Bob has approved each; one more person has to. */
  targets: readonly Target[];
  /** Rows of them that ask together. */
  planned: readonly Target[];
  /** With an operator: nobody knows whether anything was sent. */
  lost: readonly { reference: string; workflowId: string; batchId: string }[];
  /** Approved by both, and held by a switch that is off. */
  switchedOff: readonly { reference: string; workflowId: string }[];
  /** Rejected, and proven unpaid. */
  ended: readonly { reference: string; batchId: string; documentId: string }[];
  /** Signed in. */
  browsers: Readonly<Record<Exclude<Name, 'mallory' | 'zoe' | 'anna'>, Browser>>;
  any(random: Random): Target;
  /** Whether somebody's decision counts that nobody has taken. */
  isCounted(target: Target): Promise<boolean>;
  /** Everything that would be otherwise if anything had been taken. */
  moneyState(): Promise<MoneyState>;
}

interface MoneyState {
  /** Status of every order of the bank, by reference. */
  orders: Record<string, string>;
  /** POSTs that reached the bank and make or decide something. */
  posts: string[];
  batches: string[];
  switches: string[];
  states: Record<string, string>;
}

export const SWITCHED_OFF = { scope: 'currency', key: 'GBP' } as const;
/** Operations of the bank that make or decide something. */
const MAKES: ReadonlySet<string> = new Set([
  ...['payment', 'transfer', 'fx'].map((name) => `transactions.${name}`),
  ...['add', 'update', 'delete'].map((name) => `beneficiaries.${name}`),
  ...['approve', 'reject'].map((name) => `orders.${name}`),
]);

const GBP = { account_id: 'acc-u1001-gbp', currency: 'GBP', beneficiary_id: 'ben-u1001-gbp-local' };
const many = <Fields>(count: number, fields: Fields): Fields[] => Array.from({ length: count }, () => fields);

export async function openScene(): Promise<Scene> {
  const world = await openForgeryWorld();
  const { product, policy, handOver, sign, signOne, target } = world;
  const { store } = product;

  await product.sandboxTest('POST', 'faults', { operation: 'transactions.payment', kind: 'drop-before', times: 3 });
  const lost = await handOver('lost', many(3, {}), 'awaiting-approval');
  for (const name of ['bob', 'carol'] as const) await sign(name, 'lost');
  await until(async () => (await statesOf(world, ['lost'])).every(([, state]) => state === 'needs-operator'));

  const ended = await handOver('ended', many(2, {}), 'awaiting-approval');
  await sign('bob', 'ended', 'reject');
  await until(async () => (await statesOf(world, ['ended'])).every(([, state]) => state === 'rejected'));

  const switchedOff = await handOver('switched', many(2, GBP), 'awaiting-approval');
  await store.switchOff({ ...SWITCHED_OFF, reason: 'odd rates', by: 'erin', at: Date.now() });
  for (const name of ['bob', 'carol'] as const) await sign(name, 'switched');
  await until(async () => (await statesOf(world, ['switched'])).every(([, state]) => state === 'held'));

  const audited = await handOver('audited', many(3, { note: 'sandbox:audit' }), 'awaiting-approval');
  for (const name of ['bob', 'carol'] as const) await sign(name, 'audited');
  await until(async () =>
    (await statesOf(world, ['audited'])).every(([, state]) => state === 'awaiting-bank-approval'),
  );
  await sign('bob', 'audited');

  const open = await handOver('open', many(8, {}), 'awaiting-approval');
  await sign('bob', 'open');
  const alone = await handOver('alone', many(3, { amount: '250.00' }), 'awaiting-approval');
  for (const { reference } of alone) await signOne('bob', await target(reference));

  const targets = await Promise.all([...open, ...alone, ...audited].map(({ reference }) => target(reference)));
  const authority = { store, settings: settingsUnder(policy), now: Date.now };
  const batches = ['lost', 'ended', 'switched', 'audited', 'open', 'alone'];
  return {
    ...world,
    targets,
    planned: targets.filter(({ batchId }) => batchId === 'open'),
    lost: lost.map(({ reference, workflowId }) => ({ reference, workflowId, batchId: 'lost' })),
    switchedOff: switchedOff.map(({ reference, workflowId }) => ({ reference, workflowId })),
    ended: ended.map(({ reference, documentId }) => ({ reference, documentId, batchId: 'ended' })),
    browsers: await openBrowsers(world),
    any: (random) => random.pick(targets),
    async isCounted({ row, asked }) {
      const verdict = await verdictOn(authority, row, asked);
      return verdict.verdict !== 'counted' || verdict.awaited.approvedBy.join() !== 'bob';
    },
    async moneyState() {
      const { orders } = (await product.sandboxTest('GET', 'state')) as { orders: SandboxOrder[] };
      const { posts } = (await product.sandboxTest('GET', 'posts')) as { posts: { operation: string }[] };
      return {
        orders: Object.fromEntries(orders.map((order) => [order.client_order_id, order.status])),
        posts: posts.map(({ operation }) => operation).filter((operation) => MAKES.has(operation)),
        batches: (await store.batches(1_000)).map(({ batchId }) => batchId).sort(),
        switches: (await store.switches()).map(({ scope, key }) => `${scope} ${key}`),
        states: Object.fromEntries(await statesOf(world, batches)),
      };
    },
  };
}

async function statesOf({ product: { store } }: ForgeryWorld, batches: readonly string[]): Promise<[string, string][]> {
  const rows = await Promise.all(batches.map((batchId) => Array.fromAsync(store.rows(batchId))));
  return rows.flat().map(({ documentId, state }) => [documentId, state]);
}

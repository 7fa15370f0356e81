import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { assess } from '../../../src/activities/assess.ts';
import { approveOrder } from '../../../src/activities/decide-order.ts';
import type { ActivityDeps } from '../../../src/activities/deps.ts';
import { addBeneficiary, sendOrder } from '../../../src/activities/send.ts';
import type { Bank } from '../../../src/bank/bank.ts';
import { createBank } from '../../../src/bank/client.ts';
import { findPayee, namedPayee } from '../../../src/bank/payee-lists.ts';
import { withSlippage } from '../../../src/domain/agreed-cost.ts';
import type { Policy } from '../../../src/domain/authority.ts';
import { bankDigest } from '../../../src/domain/authority.ts';
import { madeDigest, payloadDigest, referenceOf } from '../../../src/domain/identity.ts';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import { mainOrderKindOf, orderKindsOf, type PayoutKind, payoutWorkflowId } from '../../../src/domain/names.ts';
import { checkInstruction } from '../../../src/files/rules/check-instruction.ts';
import { type RunningSandbox, SANDBOX_KEY, SANDBOX_SECRET, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { MEMORY, nodeSqliteDialect } from '../../../src/store/engine/sqlite.ts';
import { createStore, migrateStore, openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Random } from '../../simulation/random.ts';
import { createDatabase, dropDatabase } from '../../support/databases.ts';
import { emptyStore } from '../../support/empty-store.ts';
import { PAYEE_FIELDS } from '../../support/payee.ts';
import { policyOf, type SigningPerson, signedBy, signingPerson } from '../../support/people.ts';
import { quickSettings } from '../../support/product.ts';
import { readAt } from '../../support/sending-deps.ts';
import { type Editor, editOnce, type Pool, postgresEditor, sqliteEditor } from './edits.ts';

/** One POST that moves money, makes a payee, or has the bank release an order. */
export interface Posted {
  operation: 'payment' | 'transfer' | 'fx' | 'add' | 'approve';
  /** The body; for a release the order id. */
  body: Record<string, unknown>;
  /** Of an exchange: what it sold by the bank's last quote. */
  quoted?: string;
  /** Who had signed by then, in the test's own book. */
  signed: { before: readonly string[]; atBank: readonly string[] };
}

/** A payout that people mean: what they sign for, despite later content of the store. */
export interface Meant {
  kind: PayoutKind;
  instruction: PayoutInstruction;
  /** Its order waits for the bank's audit. */
  isAudited?: true;
  /** Below every rule: its maker alone signs for it. */
  isSmall?: true;
  /** The exchange of its batch, which has bought what it pays. */
  boughtBy?: PayoutInstruction;
  /** The most that one unit may cost, by the plan that people were shown, or by the first quote. */
  maxRate?: string;
}

const alice = signingPerson('alice', ['maker']);
const bob = signingPerson('bob', ['approver']);
const carol = signingPerson('carol', ['approver']);
const { people, ...rules } = policyOf([alice, bob, carol], {
  approvals: [
    { currency: 'USD', amountAtLeast: '10', approvals: 2, where: 'both' },
    { currency: 'EUR', amountAtLeast: '10', approvals: 2, where: 'both' },
  ],
});
/** Everybody signs, makers too. */
const POLICY: Policy = { ...rules, people: people.map(({ unsigned: _, ...person }) => person) };

/** No read is waited for before something is sent again. */
const TERMS = {
  ...quickSettings.terms,
  feeCap: '50.00',
  waits: { ...quickSettings.terms.waits, listLagMs: 0, lateCommitMs: 0 },
};

const RUN = 'run-1';
/** What a plan has shown of a row that sells euros; the bank's rate is 1.085. */
const MAX_RATE = '0.94';
const BOUND = { sell_currency: 'EUR', max_rate: MAX_RATE, paying_account_id: 'acc-u1001-usd' } as const;
/** Another account of the user in the same currency, which the bank lists first. */
const SECOND = 'acc-u1001-usd-b';

const OF_USER = { uid: 'u-1001', account_id: 'acc-u1001-usd', currency: 'USD' } as const;
/** What people may mean. */
export const KINDS: readonly ((id: string) => Meant)[] = [
  (id) => ({
    kind: 'payout',
    instruction: { id, ...OF_USER, amount: '12.00', beneficiary_id: 'ben-u1001-usd-local', note: 'rent' },
  }),
  (id) => ({
    kind: 'payout',
    instruction: { id, ...OF_USER, amount: '3.00', beneficiary_id: 'ben-u1001-usd-local' },
    isSmall: true,
  }),
  (id) => ({
    kind: 'payout',
    instruction: { id, ...OF_USER, amount: '20000.00', beneficiary_id: 'ben-u1001-usd-local' },
    isAudited: true,
  }),
  (id) => ({
    kind: 'payout',
    instruction: {
      id,
      ...OF_USER,
      account_id: 'acc-u1001-eur',
      amount: '14.00',
      beneficiary_id: 'ben-u1001-usd-swift',
      ...BOUND,
    },
    maxRate: MAX_RATE,
  }),
  (id) => ({
    kind: 'payout',
    instruction: {
      id,
      ...OF_USER,
      account_id: 'acc-u1001-eur',
      amount: '4.00',
      beneficiary_id: 'ben-u1001-usd-swift',
      ...BOUND,
    },
    maxRate: MAX_RATE,
    isSmall: true,
  }),
  (id) => ({
    kind: 'exchange',
    instruction: { id, ...OF_USER, account_id: 'acc-u1001-eur', to_account_id: 'acc-u1001-usd', amount: '15.00' },
    // The first quote and one cap.
    maxRate: '0.9312',
  }),
  (id) => ({
    kind: 'exchange',
    instruction: {
      ...{ id, ...OF_USER, account_id: 'acc-u1001-eur', to_account_id: 'acc-u1001-usd', amount: '5.00' },
      ...{ sell_currency: 'EUR', max_rate: MAX_RATE },
    },
    maxRate: MAX_RATE,
    isSmall: true,
  }),
  (id) => ({
    kind: 'transfer',
    instruction: { id, ...OF_USER, to_account_id: 'acc-u1002-usd', amount: '17.00' },
  }),
  (id) => ({
    kind: 'payout',
    instruction: { id, ...OF_USER, amount: '16.00', ...PAYEE_FIELDS, account_no: '123456789' },
  }),
  (id) => {
    const boughtBy = {
      id: `${id}-x`,
      ...OF_USER,
      account_id: 'acc-u1001-eur',
      to_account_id: 'acc-u1001-usd',
      amount: '40.00',
    };
    const row = { id, ...OF_USER, account_id: 'acc-u1001-eur', amount: '13.00', beneficiary_id: 'ben-u1001-usd-swift' };
    const reference = referenceOf(boughtBy.uid, boughtBy.id, mainOrderKindOf('exchange'));
    return { kind: 'payout', instruction: { ...row, ...BOUND, exchanged_by: reference }, boughtBy };
  },
];

const POOL: Pool = {
  texts: [
    ...['ben-u1001-usd-swift', 'ben-u1001-usd-local', 'ben-u1002-usd-local', 'acc-u1001-usd', 'acc-u1001-eur'],
    ...[
      'acc-u1001-usd-b',
      'acc-u1002-usd',
      'acc-u1002-eur',
      'u-1001',
      'u-1002',
      'USD',
      'EUR',
      '4012.00',
      '12.00',
      'payout',
      'transfer',
    ],
    ...['exchange', 'accepted', 'ambiguous', 'not-sent', 'approve', 'make', 'bank', 'hold', 'alice', 'bob', 'carol'],
    ...['mallory', 'held', 'awaiting-approval', 'SHA', 'OUR', '', '1', 'run-1'],
  ],
};

export interface EditedStore extends AsyncDisposable {
  /** Leads one payout through its life while the store is edited. Returns what was posted, and what was edited. */
  live(meant: Meant, random: Random, edits: number): Promise<{ posted: Posted[]; edited: string[] }>;
  /** The payee at the bank that has the details of what is meant; undefined: none. */
  payeeMeant(meant: Meant): Promise<string | undefined>;
}

/** A bank that keeps what it is asked to do, and a store for each life. */
export async function openEditedStore(postgresUrl?: string): Promise<EditedStore> {
  const sandbox = await startSandbox({ file: ':memory:', settle: { ACCEPTED: 0 }, allowTestRoutes: true });
  const bank = createBank({ baseUrl: sandbox.url, apiKey: SANDBOX_KEY, apiSecret: SANDBOX_SECRET });
  const database = postgresUrl === undefined ? undefined : await madeDatabase(postgresUrl);
  return {
    async live(meant, random, edits) {
      await using place = database === undefined ? await sqlitePlace() : await postgresPlace(database);
      return await new Life(sandbox, bank, place, meant, random, edits).run();
    },
    async payeeMeant({ instruction }) {
      return (await findPayee(bank, await namedPayee(bank, instruction)))?.id;
    },
    async [Symbol.asyncDispose]() {
      await bank.close();
      await sandbox.close();
      await database?.[Symbol.asyncDispose]();
    },
  };
}

interface Place extends AsyncDisposable {
  store: Store;
  editor: Editor;
}

/** A database that each life finds as it was made: to empty it takes a tenth of the time to copy one. */
interface Database extends AsyncDisposable {
  url: string;
  asMade(): Promise<void>;
}

async function madeDatabase(admin: string): Promise<Database> {
  const name = `edited_${process.pid}_${Date.now()}`;
  const url = await createDatabase(admin, name);
  await migrateStore(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    'select table_name as name from information_schema.tables where table_schema = current_schema()',
  );
  const tables = rows.map((row) => `"${row.name}"`);
  // Without the triggers by which a table keeps its rows.
  await client.query('set session_replication_role = replica; create schema made');
  for (const table of tables) await client.query(`create table made.${table} as table ${table}`);
  const emptied = tables.flatMap((table) => [
    `delete from ${table}`,
    `insert into ${table} select * from made.${table}`,
  ]);
  return {
    url,
    asMade: async () => void (await client.query(emptied.join('; '))),
    async [Symbol.asyncDispose]() {
      await client.end();
      await dropDatabase(admin, name);
    },
  };
}

async function postgresPlace({ url, asMade }: Database): Promise<Place> {
  await asMade();
  const [store, editor] = [await openStore(url, 2), await postgresEditor(url)];
  return {
    store,
    editor,
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

async function sqlitePlace(): Promise<Place> {
  const database = new DatabaseSync(MEMORY, { timeout: 0, enableForeignKeyConstraints: true });
  database.deserialize(await emptyStore());
  const store = await createStore(openDatabase(nodeSqliteDialect(async () => database)));
  return { store, editor: sqliteEditor(database), [Symbol.asyncDispose]: () => store.close() };
}

class Life {
  readonly #posted: Posted[] = [];
  readonly #edited: string[] = [];
  readonly #signed = { before: [] as string[], atBank: [] as string[] };
  readonly #sandbox: RunningSandbox;
  readonly #meant: Meant;
  readonly #random: Random;
  readonly #place: Place;
  readonly #deps: ActivityDeps;
  #left: number;
  readonly #isEdited: boolean;
  #attempt = 0;

  constructor(sandbox: RunningSandbox, bank: Bank, place: Place, meant: Meant, random: Random, edits: number) {
    this.#sandbox = sandbox;
    this.#meant = meant;
    this.#random = random;
    this.#place = place;
    this.#left = edits;
    this.#isEdited = edits > 0;
    this.#deps = {
      bank: this.#listening(bank),
      store: readAt(this.#editedAtEachCall(place.store)),
      settings: { ...quickSettings, policy: POLICY, terms: TERMS, transferAcrossUsers: true },
      executions: { wakeWatch: async () => {} } as unknown as ActivityDeps['executions'],
      readList: async () => ({ doubt: undefined }) as never,
      checkInstruction,
      now: Date.now,
      assertIdentity: async () => {},
    };
  }

  async run(): Promise<{ posted: Posted[]; edited: string[] }> {
    const { store } = this.#place;
    const { kind, instruction } = this.#meant;
    await this.#claim(instruction, kind);
    // Somebody's own payout, for which nobody signs: what it says may be moved to the other.
    await this.#claim(
      { ...OF_USER, id: `${instruction.id}-b`, amount: '4012.00', beneficiary_id: 'ben-u1001-usd-swift' },
      'payout',
    );
    const { boughtBy } = this.#meant;
    if (boughtBy !== undefined) {
      const bought = await this.#claim(boughtBy, 'exchange');
      await store.changePayout(bought, { state: 'completed', reason: null, at: Date.now() });
    }
    await this.#assess();
    const { reference } = this;
    const digest = (await store.payout(reference))?.assessed?.digest ?? '';
    // The store is its writer's from here on: what people sign is what they were shown before.
    this.#opened = true;
    this.#isDearer = this.#isEdited && this.#random.chance(0.3);
    for (const person of this.#meant.isSmall ? [] : [bob, carol]) {
      await this.#sign(person, { question: 'payout', digest }, 'before');
      await this.#edit(0.1);
      await this.#send();
    }
    await this.#assess();
    await this.#send();
    await this.#atBank(digest);
    return { posted: this.#posted, edited: this.#edited };
  }

  get reference(): string {
    const { instruction, kind } = this.#meant;
    return referenceOf(instruction.uid, instruction.id, mainOrderKindOf(kind));
  }

  #opened = false;
  /** The rate has moved since people saw it. */
  #isDearer = false;
  #quoted: string | undefined;

  async #claim(instruction: PayoutInstruction, kind: PayoutKind): Promise<string> {
    const reference = referenceOf(instruction.uid, instruction.id, mainOrderKindOf(kind));
    const { store } = this.#place;
    await store.claimPayout({
      ...{ reference, kind, instruction, generation: 0, by: 'alice', runId: RUN, at: Date.now() },
      ...{ workflowId: payoutWorkflowId(reference, kind), payloadDigest: payloadDigest(instruction) },
      derivedReferences: orderKindsOf(kind).map((orderKind) => referenceOf(instruction.uid, instruction.id, orderKind)),
    });
    const made = { storeId: store.id, question: 'make', reference, digest: madeDigest(instruction) } as const;
    if (instruction === this.#meant.instruction) await store.takeSignedDecision(signedBy(alice, made), Date.now());
    return reference;
  }

  async #sign(
    person: SigningPerson,
    about: { question: 'payout' | 'bank'; digest: string },
    where: 'before' | 'atBank',
  ): Promise<void> {
    const { store } = this.#place;
    this.#signed[where].push(person.name);
    const signed = signedBy(person, { storeId: store.id, reference: this.reference, ...about });
    await this.#tried(() => store.takeSignedDecision(signed, Date.now()));
  }

  /** Both rows, in the order in which a workflow would, and more often than one would. */
  async #send(): Promise<void> {
    const { kind, instruction } = this.#meant;
    const other = referenceOf(instruction.uid, `${instruction.id}-b`);
    for (const reference of [this.reference, other]) {
      if (!this.#isEdited || this.#random.chance(0.5))
        await this.#tried(() => addBeneficiary(this.#deps, CALLER, { claim: this.#claimOf(reference) }));
      const orderKinds = [...orderKindsOf(kind)].reverse();
      for (const orderKind of [...orderKinds, ...orderKinds]) {
        this.#attempt += 1;
        const sending = { orderKind, attempt: this.#attempt, lastLeft: this.#attempt - 1 };
        await this.#edit(0.1);
        await this.#tried(() => sendOrder(this.#deps, CALLER, { claim: this.#claimOf(reference), ...sending }));
        await this.#edit(0.1);
      }
    }
  }

  async #assess(): Promise<void> {
    const progress = { exchanged: this.#random.chance(0.3), exchangeSent: false };
    await this.#tried(() => assess(this.#deps, CALLER, { claim: this.#claimOf(this.reference), ...progress }));
    await this.#edit(0.1);
  }

  /** An order that waits for its audit is released once two more have signed for that. */
  async #atBank(digest: string): Promise<void> {
    const orderId = this.#orderId;
    if (orderId === undefined || this.#meant.isAudited !== true) return;
    this.#sandbox.clock.advance(1_000);
    for (const person of [undefined, bob, carol]) {
      if (person !== undefined)
        await this.#sign(person, { question: 'bank', digest: bankDigest(digest, orderId) }, 'atBank');
      await this.#edit(0.1);
      const decision = {
        claim: this.#claimOf(this.reference),
        orderKind: mainOrderKindOf(this.#meant.kind),
        orderId,
        by: 'bob',
      };
      await this.#tried(() => approveOrder(this.#deps, CALLER, decision));
    }
  }

  #orderId: string | undefined;

  #claimOf = (reference: string) => ({ storeId: this.#place.store.id, reference, term: 1 });

  /** What an edit breaks may throw: nothing left then, or the test sees it. */
  async #tried(act: () => Promise<unknown>): Promise<void> {
    await act().catch(() => undefined);
  }

  async #edit(chance: number): Promise<void> {
    if (!this.#opened || this.#left <= 0 || !this.#random.chance(chance)) return;
    this.#left -= 1;
    this.#edited.push(await editOnce(this.#place.editor, POOL, this.#random));
  }

  /** The store, in which something may be written before any call and after it. */
  #editedAtEachCall(store: Store): Store {
    return new Proxy(store, {
      get: (of, name) => {
        const member: unknown = Reflect.get(of, name);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => {
          const result: unknown = Reflect.apply(member, of, given);
          if (!(result instanceof Promise)) return result;
          return result.then(async (found) => {
            await this.#edit(0.02);
            return found;
          });
        };
      },
    });
  }

  /** What is lost is sent again, as it was recorded. */
  #loseSome(): void {
    if (this.#isEdited && this.#random.chance(0.5)) throw new Error('the answer is lost');
  }

  #listening(bank: Bank): Bank {
    const noted = (operation: Posted['operation'], body: object): void => {
      const signed = { before: [...this.#signed.before], atBank: [...this.#signed.atBank] };
      const quoted = operation === 'fx' ? { quoted: this.#quoted } : {};
      this.#posted.push({ operation, body: { ...body }, ...quoted, signed });
    };
    const { transactions, orders, beneficiaries, accounts } = bank;
    return {
      ...bank,
      accounts: {
        ...accounts,
        async ofUser(uid) {
          const own = await accounts.ofUser(uid);
          return [...own.filter(({ account_id: id }) => id === FIRST).map(second), ...own];
        },
      },
      transactions: {
        ...transactions,
        paymentFee: (asked) => transactions.paymentFee(atBank(asked)),
        fxQuote: async (asked) => {
          const quote = await transactions.fxQuote(atBank(asked));
          this.#quoted = this.#isDearer ? dearer(quote.sell_amount) : quote.sell_amount;
          return { ...quote, sell_amount: this.#quoted };
        },
        payment: async (body, options) => {
          noted('payment', body);
          this.#loseSome();
          const placed = await transactions.payment(atBank(body), options);
          this.#orderId = placed.order_id;
          return placed;
        },
        transfer: (body, options) => {
          noted('transfer', body);
          return transactions.transfer(body, options);
        },
        fx: (body, options) => {
          noted('fx', body);
          this.#loseSome();
          return transactions.fx(atBank(body), options);
        },
      },
      beneficiaries: {
        ...beneficiaries,
        add: (body, options) => {
          noted('add', body);
          return beneficiaries.add(body, options);
        },
      },
      orders: {
        ...orders,
        approve: (orderId, options) => {
          noted('approve', { orderId });
          return orders.approve(orderId, options);
        },
      },
    };
  }
}

const FIRST = BOUND.paying_account_id;
const second = <Account extends { account_id: string }>(account: Account): Account => ({
  ...account,
  account_id: SECOND,
});

/** To the sandbox the second account is the first. */
const atBank = <Body extends object>(body: Body): Body =>
  JSON.parse(JSON.stringify(body).replaceAll(`"${SECOND}"`, `"${FIRST}"`)) as Body;

/** By more than any cap. */
const dearer = (amount: string): string => withSlippage(amount, '0.05');

const CALLER = { workflowId: 'w', runId: RUN, activityId: '1' };

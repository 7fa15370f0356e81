import { basename } from 'node:path';
import type { Bank } from '../../bank/bank.ts';
import type { Finding } from '../../domain/finding.ts';
import { someAtOnce } from '../../domain/iterate.ts';
import { formatMinor } from '../../domain/money.ts';
import { Problem } from '../../domain/problem.ts';
import type { EntryDetail, StatementEntry, StatementHead } from '../../domain/statements/statement.ts';
import { UnreadableFile } from '../../files/input.ts';
import { accountKey, loadMessageMapping, type MessageMapping } from '../../files/messages/mapping.ts';
import { readStatementFile } from '../../files/statements/read-statement.ts';
import { type ReadStatement, type StatementSink, StatementSummary } from '../../files/statements/statement-sink.ts';
import type { App } from '../../platform/app.ts';
import type { StatementRecord, Store } from '../../store/store.ts';
import { type ReconciliationSums, reconcileUser } from './reconcile-user.ts';

/** What became of one statement of a file. */
export interface TakenStatement {
  outcome: 'taken' | 'known' | 'refused';
  /** Null if it was refused. */
  statementId: string | null;
  /** The bank's id of the account; null: it is none of ours. */
  accountId: string | null;
  /** As the statement writes it, with the last characters only. */
  account: string;
  currency: string | null;
  format: string;
  number: string;
  from: string | null;
  to: string | null;
  opening: string | null;
  closing: string | null;
  entries: number;
  findings: Finding[];
}

export interface StatementTaking {
  file: string;
  statements: TakenStatement[];
  /** Of the accounts of these users, after the taking. */
  reconciled: (ReconciliationSums & { uid: string })[];
}

export interface TakingOptions {
  by?: string;
  /** Whether who hands it over may see the books of this account. */
  mayTake?(account: StatementRecord): boolean;
}

type Taking = Pick<App, 'config' | 'store' | 'now'> & { bank: { accounts: Pick<Bank['accounts'], 'ofUser'> } };
type AccountsFrom = Pick<Taking, 'bank' | 'store'>;

/**
 * Takes the statements of a file: each one alone, and once, however often it comes. Then all bookings of their users are compared
 * with what payouts moved. No payout is changed. Throws a `Problem` (`input-invalid`) if the file cannot be read as statements.
 */
export async function takeStatements(
  app: Taking,
  path: string,
  { by, mayTake = () => true }: TakingOptions,
): Promise<StatementTaking> {
  const { store, now } = app;
  const file = basename(path);
  const mapping = await loadMessageMapping(app.config.messageMapping);
  const summary = new StatementSummary();
  await read(file, readStatementFile(path, summary));
  const planned: Planned[] = [];
  const atBank = new AccountsAtBank(app);
  for (const it of summary.statements) planned.push(await plan(store, { mapping, atBank }, it, { by, mayTake, file }));
  const writer = new EntryWriter(store, planned);
  if (planned.some(({ record }) => record !== undefined)) {
    await read(
      file,
      readStatementFile(path, writer, () => writer.flush()),
    );
  }
  const changed = new Map<string, string>();
  for (const { record, taken } of planned) {
    if (record === undefined) continue;
    const isNew = await store.takeStatement({ ...record, takenAt: now() });
    const { uid, fromDay } = record;
    const before = changed.get(uid);
    if (isNew) changed.set(uid, before !== undefined && before < fromDay ? before : fromDay);
    else taken.outcome = 'known';
  }
  const reconciled: StatementTaking['reconciled'] = [];
  for (const [uid, from] of changed) reconciled.push({ uid, ...(await reconcileUser(app, uid, from)) });
  return { file, statements: planned.map(({ taken }) => taken), reconciled };
}

/** A file that cannot be read to its end is refused as a whole. */
async function read(file: string, reading: Promise<void>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new Problem('invalid-input', 'input-invalid', 'This file was not taken; nothing of it counts.', {
      findings: [{ file, ...error.finding }],
      hint: 'Ask the bank for it again, or export it in another format.',
    });
  }
}

interface Planned {
  taken: TakenStatement;
  /** Undefined: it is refused, or was taken before. */
  record: StatementRecord | undefined;
}

async function plan(
  store: Store,
  known: KnownAccounts,
  { head, balances, entries, digest, line, findings }: ReadStatement,
  { by, mayTake = () => true, file }: TakingOptions & { file: string },
): Promise<Planned> {
  const account = await accountOf(store, known, head);
  const currency = head.currency ?? account?.currency;
  const amount = (minor: bigint | undefined): string | null =>
    minor === undefined || currency === undefined ? null : formatMinor(minor, currency);
  const taken: TakenStatement = {
    ...{ outcome: 'refused', statementId: null, accountId: account?.accountId ?? null },
    ...{ account: maskedAccount(head.account), currency: currency ?? null, format: head.format, number: head.number },
    ...{ from: head.from ?? null, to: head.to ?? null, entries },
    ...{ opening: amount(balances.opening?.minor), closing: amount(balances.closing?.minor) },
    findings: findings.map((finding) => ({ file, ...finding })),
  };
  const refuse = (rule: string, message: string): Planned => {
    taken.findings.push({ file, line, row: null, column: null, value: null, rule, message });
    return { taken, record: undefined };
  };
  if (account === undefined) return refuse('unknown-account', unknownAccount(known.atBank.unread));
  if (account.currency !== undefined && currency !== undefined && account.currency !== currency) {
    return refuse('account-currency', `the account is in ${account.currency}, and the statement in ${currency}`);
  }
  if (taken.findings.length > 0) return { taken, record: undefined };
  const { from: fromDay = '', to: toDay = fromDay, kind, format, number } = head;
  if (currency === undefined || fromDay === '') return refuse('empty-statement', EMPTY);
  const record: StatementRecord = {
    ...{ statementId: `stm-${digest.slice(0, 12)}`, accountId: account.accountId, uid: account.uid, currency },
    ...{ kind, format, number, fromDay, toDay, opening: taken.opening, closing: taken.closing, entries, digest, file },
    ...{ takenBy: by ?? null, takenAt: null },
  };
  if (!mayTake(record)) return refuse('outside-scope', 'the account is outside your scope in the policy');
  const before = await store.statementsNumbered(record);
  const same = before.find((it) => it.digest === digest);
  const changed = before.find((it) => it.digest !== digest && it.opening === record.opening);
  taken.statementId = same?.statementId ?? record.statementId;
  if (same !== undefined) return { taken: { ...taken, outcome: 'known' }, record: undefined };
  // Reports and notifications of one day come several times, and each says more.
  if (kind === 'statement' && changed !== undefined) {
    taken.statementId = null;
    return refuse(
      'statement-changed',
      `${changed.statementId} has the same number and days, and other content; ${ASK}`,
    );
  }
  await store.beginStatement(record);
  return { taken: { ...taken, outcome: 'taken' }, record };
}

const ASK = 'ask the bank which of them counts';
const unknownAccount = (unread: string | undefined): string =>
  unread === undefined
    ? 'not an account of ours: neither the mapping file (PAYOUTS_MESSAGE_MAPPING) nor the bank names it for a user of the store; add it to the mapping file if it is ours'
    : `perhaps not an account of ours: no payout was made from it, the mapping file (PAYOUTS_MESSAGE_MAPPING) does not name it, and the bank could not be asked (${unread}); take it again later, or add it to the mapping file`;
const EMPTY = 'it has neither a balance nor an entry, so nothing says which days and which currency it is about';

interface OurAccount {
  uid: string;
  accountId: string;
  currency: string | undefined;
}

interface KnownAccounts {
  mapping: MessageMapping;
  atBank: AccountsAtBank;
}

/** Of the users of a store as the bank lists them, which has also those that no payout was made from; read once, if they are needed. */
class AccountsAtBank {
  /** Why the bank has not listed all of them. */
  unread: string | undefined;
  private accounts: Promise<Map<string, OurAccount>> | undefined;
  private readonly app: AccountsFrom;

  constructor(app: AccountsFrom) {
    this.app = app;
  }

  async get(accountId: string): Promise<OurAccount | undefined> {
    this.accounts ??= this.read();
    return (await this.accounts).get(accountId);
  }

  private async read(): Promise<Map<string, OurAccount>> {
    const { bank, store } = this.app;
    const found = new Map<string, OurAccount>();
    await someAtOnce(await store.users(USERS_MAX), AT_ONCE, async (uid) => {
      try {
        for (const { account_id: accountId, currency } of await bank.accounts.ofUser(uid))
          found.set(accountId, { uid, accountId, currency });
      } catch (error) {
        this.unread = error instanceof Error ? error.message : 'no answer';
      }
    });
    return found;
  }
}

const USERS_MAX = 1_000;
const AT_ONCE = 8;

/** By the mapping file, in any form in which banks write an account; else by the bank's own id of it. */
async function accountOf(
  store: Store,
  { mapping: { accounts }, atBank }: KnownAccounts,
  head: StatementHead,
): Promise<OurAccount | undefined> {
  const written = head.account.replaceAll(/\s+/g, '');
  const forms = [written, written.split('/').at(-1) ?? '', written.replaceAll('/', '')];
  for (const form of forms) {
    const mapped = accounts.get(accountKey(form)) ?? accounts.get(accountKey(form.replace(/^0+/, '')));
    if (mapped !== undefined) return { uid: mapped.uid, accountId: mapped.account_id, currency: mapped.currency };
  }
  const uid = await store.userOfAccount(head.account);
  return uid === undefined ? atBank.get(head.account) : { uid, accountId: head.account, currency: undefined };
}

export const maskedAccount = (account: string): string => (account.length > 4 ? `***${account.slice(-4)}` : account);

/** Writes the entries of the statements that are taken, a piece of the file at a time. */
class EntryWriter implements StatementSink {
  private readonly store: Store;
  private readonly planned: readonly Planned[];
  private at = -1;
  private entries: StatementEntry[] = [];
  private details: { position: number; detail: EntryDetail }[] = [];
  private readonly waiting: (() => Promise<void>)[] = [];

  constructor(store: Store, planned: readonly Planned[]) {
    this.store = store;
    this.planned = planned;
  }

  begin(): void {
    this.at += 1;
  }

  detail(position: number, detail: EntryDetail): void {
    if (this.record() !== undefined) this.details.push({ position, detail });
  }

  entry(entry: StatementEntry): void {
    if (this.record() !== undefined) this.entries.push(entry);
  }

  end(): void {
    this.hold();
  }

  finding(): void {}

  async flush(): Promise<void> {
    this.hold();
    for (const write of this.waiting.splice(0)) await write();
  }

  private record(): StatementRecord | undefined {
    return this.planned[this.at]?.record;
  }

  private hold(): void {
    const record = this.record();
    const [entries, details] = [this.entries, this.details];
    if (record === undefined || entries.length + details.length === 0) return;
    this.entries = [];
    this.details = [];
    this.waiting.push(() => this.store.recordEntries(record, entries, details));
  }
}

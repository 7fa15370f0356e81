import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { AccountBalance } from '../../bank/schemas/accounts.ts';
import type { OriginalMessage } from '../../domain/bank-message.ts';
import type { Finding } from '../../domain/finding.ts';
import { lookAlikeKey } from '../../domain/identity.ts';
import { lookAlikeKeys, type PayeeDetails } from '../../domain/payee.ts';
import type { ClaimRow, RefusedRow } from '../../store/store.ts';
import type { RowSink } from '../input.ts';
import { itemsInTurns } from '../input.ts';
import { RequiredDetailsPairs } from '../rules/column-rules.ts';
import { FindingList } from '../rules/finding-list.ts';
import type { ReadColumn, ReadRow } from '../rules/read-row.ts';
import type { Place } from '../rules/validate.ts';

/** Number of rows read at a time; only one page is in memory. */
const PAGE = 1_000;

/** The most warnings of one kind that are listed. */
const WARNINGS_OF_KIND = 1_000;

/** An exchange that buys for all rows of a file that name it. */
export interface BatchExchange extends ClaimRow {
  /** What the account that it buys into holds already for them. */
  held: string;
}

interface NamedId {
  id: string;
  uid: string;
  row: number;
}

interface ByRow {
  row: number;
  body: string;
}

const byRow = ({ row }: { row: number }): number => row;

const TABLES = `
  create table rows (row integer primary key, line integer not null, uid text, id text, body text not null);
  create table claims (row integer primary key, reference text not null, body text not null);
  create index claims_reference on claims (reference, row);
  create table findings (row integer not null, line integer not null, body text not null, reference text);
  create index findings_row on findings (row);
  create table likes (place text primary key, key text not null, row integer not null) without rowid;
`;

/**
 * The rows of a file between reading and claiming, in a temporary database that only this process sees and that disappears with
 * it: a file of any size needs the memory of one page.
 */
export class StagedFile implements RowSink<Finding>, Disposable {
  readonly findings = new FindingList();
  /** They stop nothing. */
  readonly warnings = new FindingList(WARNINGS_OF_KIND);
  readonly columns: ReadColumn[] = [];
  readonly pairs = new RequiredDetailsPairs();
  rowCount = 0;
  original: OriginalMessage | undefined;
  /** What buys for all claims that name it. */
  exchanges: readonly BatchExchange[] = [];
  /** Accounts as the bank shows them by their ids, if they were queried. */
  accounts: ReadonlyMap<string, Pick<AccountBalance, 'uid' | 'currency'>> = new Map();
  /** The bank's details of payees by their ids, if they were queried. */
  payees: ReadonlyMap<string, PayeeDetails> = new Map();
  /** Whose they are: users by ids of payees. */
  payeeOwners: ReadonlyMap<string, string> = new Map();

  private readonly database: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();

  constructor() {
    this.database = new DatabaseSync('');
    this.database.exec('pragma cache_size = -4000; pragma journal_mode = off; pragma synchronous = off');
    this.database.exec(TABLES);
    this.database.exec('begin');
  }

  row(read: ReadRow): void {
    const { uid = null, id = null } = read.instruction;
    this.rowCount += 1;
    this.pairs.add(read.instruction);
    this.run('insert into rows values (?, ?, ?, ?, ?)', read.row, read.line, uid, id, JSON.stringify(read));
  }

  column(column: ReadColumn): void {
    this.columns.push(column);
    if (column.letter === undefined) return;
    this.findings.letters.set(column.name, column.letter);
    this.warnings.letters.set(column.name, column.letter);
  }

  finding(...findings: readonly Finding[]): void {
    this.findings.add(...findings);
    for (const finding of findings) this.refuse(finding);
  }

  warning(...warnings: readonly Finding[]): void {
    this.warnings.add(...warnings);
  }

  /** Why a row is not claimed although the file is not at fault; `reference`: the payout that took it. */
  refuse({ row, line, column, rule, message }: Finding, reference: string | null = null): void {
    if (row === null) return;
    this.run(
      'insert into findings values (?, ?, ?, ?)',
      row,
      line,
      JSON.stringify({ column, rule, message }),
      reference,
    );
  }

  message(message: OriginalMessage): void {
    this.original = message;
  }

  /** All rows are read: from now on they are looked up by uid and id. */
  readingEnded(): void {
    this.database.exec('create index rows_identity on rows (uid, id, row)');
  }

  firstOf(uid: string, id: string): Place {
    return this.get<Place>(
      'select row, line from rows where uid = ? and id = ? order by row limit 1',
      uid,
      id,
    ) as Place;
  }

  lineOf(row: number): number {
    return this.get<{ line: number }>('select line from rows where row = ?', row)?.line ?? 0;
  }

  /** In the order of the file. */
  *rows(): Generator<ReadRow> {
    const pages = this.pages<ByRow>('select row, body from rows where row > ? order by row limit ?', byRow, 0);
    for (const page of pages) for (const { body } of page) yield JSON.parse(body) as ReadRow;
  }

  /** Adds a row that may be paid, or replaces it with what was found out since. */
  claim(claim: ClaimRow): void {
    this.run('insert or replace into claims values (?, ?, ?)', claim.row, claim.reference, JSON.stringify(claim));
  }

  /** Removes a row that is not to be paid after all. */
  drop(row: number): void {
    this.run('delete from claims where row = ?', row);
  }

  firstClaims(limit: number): ClaimRow[] {
    const first = this.all<{ body: string }>('select body from claims order by row limit ?', limit);
    return first.map(({ body }) => JSON.parse(body) as ClaimRow);
  }

  get claimCount(): number {
    return this.get<{ count: number }>('select count(*) as count from claims')?.count ?? 0;
  }

  /** In the order of references, not of the file: two concurrent claims of the same rows cannot deadlock. */
  *claims(): Generator<ClaimRow> {
    const pages = this.pages<{ reference: string; body: string }>(
      'select reference, body from claims where reference > ? order by reference limit ?',
      ({ reference }) => reference,
      '',
    );
    for (const page of pages) for (const { body } of page) yield this.claimOf(body);
  }

  /** In the order of the file; each page reflects the changes made up to then. */
  *claimPages(): Generator<ClaimRow[]> {
    const pages = this.pages<ByRow>('select row, body from claims where row > ? order by row limit ?', byRow, 0);
    for (const page of pages) yield page.map(({ body }) => this.claimOf(body));
  }

  /** Rows that are not claimed, and why; including those that could not be read. */
  *refused(): Generator<RefusedRow> {
    const unclaimed = this.pages<{ row: number; body: string | null }>(
      `select n.row, rows.body from (select row from rows union select row from findings) n left join rows on rows.row = n.row
        where n.row > ? and n.row not in (select row from claims) order by n.row limit ?`,
      byRow,
      0,
    );
    for (const page of unclaimed) yield* page.map((row) => this.refusedRow(row));
  }

  /**
   * Claims of the file that mean the same payment: the rows of each group, the group with the first row first; the groups and, of
   * each, the rows are in the order of the file.
   */
  async *alikes(): AsyncGenerator<number[]> {
    this.database.exec('delete from likes');
    for await (const page of itemsInTurns(this.claimPages())) {
      for (const claim of page) {
        for (const key of lookAlikeKeys(claim))
          this.run(
            'insert or ignore into likes values (?, ?, ?)',
            `${key} ${`${claim.row}`.padStart(9, '0')}`,
            key,
            claim.row,
          );
      }
    }
    const groups: number[][] = [];
    let known: { key: string; rows: number[] } = { key: '', rows: [] };
    const pages = this.pages<{ place: string; key: string; row: number }>(
      'select place, key, row from likes where place > ? order by place limit ?',
      ({ place }) => place,
      '',
    );
    for await (const page of itemsInTurns(pages)) {
      for (const { key, row } of page) {
        if (key === known.key) known.rows.push(row);
        else {
          if (known.rows.length > 1) groups.push(known.rows);
          known = { key, rows: [row] };
        }
      }
    }
    if (known.rows.length > 1) groups.push(known.rows);
    // Two rows may share the key of the payee's id and that of its account.
    const seen = new Set<number>();
    for (const rows of groups.sort(([a = 0], [b = 0]) => a - b)) {
      const group = rows.filter((row) => !seen.has(row));
      for (const row of group) seen.add(row);
      if (group.length > 1) yield group;
    }
  }

  claimAt(row: number): ClaimRow | undefined {
    const found = this.get<{ body: string }>('select body from claims where row = ?', row);
    return found && this.claimOf(found.body);
  }

  /** Distinct ids in the claims, once for each user that names them, with that user's first row; at most `limit`. */
  async idsNamed(column: 'account_id' | 'beneficiary_id', limit: number): Promise<NamedId[]> {
    const named = new Map<string, NamedId>();
    const pages = this.pages<Omit<NamedId, 'id'> & { id: string | null }>(
      `select json_extract(body, '$.instruction.${column}') as id, json_extract(body, '$.instruction.uid') as uid, row
        from claims where row > ? order by row limit ?`,
      byRow,
      0,
    );
    for await (const page of itemsInTurns(pages)) {
      for (const { id, uid, row } of page) {
        const key = JSON.stringify([id, uid]);
        if (id !== null && !named.has(key)) named.set(key, { id, uid, row });
        if (named.size === limit) return [...named.values()];
      }
    }
    return [...named.values()];
  }

  [Symbol.dispose](): void {
    if (this.database.isOpen) this.database.close();
  }

  private claimOf(body: string): ClaimRow {
    const claim = JSON.parse(body) as ClaimRow;
    const { instruction } = claim;
    const payee = this.payees.get(instruction.beneficiary_id ?? '');
    return payee === undefined ? claim : { ...claim, lookAlikeAccount: lookAlikeKey(instruction, payee) };
  }

  private refusedRow({ row, body }: { row: number; body: string | null }): RefusedRow {
    const found = this.all<{ line: number; body: string; reference: string | null }>(
      'select line, body, reference from findings where row = ?',
      row,
    );
    const read = body === null ? undefined : (JSON.parse(body) as ReadRow);
    const reference = found.find((finding) => finding.reference !== null)?.reference ?? undefined;
    const asWritten = read?.unsound || read?.original ? undefined : read?.instruction;
    return {
      row,
      line: read?.line ?? found[0]?.line ?? 0,
      instruction: asWritten ?? {},
      ...(read?.original === undefined ? {} : { original: read.original }),
      ...(reference === undefined ? {} : { reference }),
      findings: found.map((finding) => JSON.parse(finding.body) as RefusedRow['findings'][number]),
    };
  }

  /** Pages of a query that continues after `after`; none is empty. */
  private *pages<Row>(sql: string, key: (row: Row) => number | string, from: number | string): Generator<Row[]> {
    for (let after = from; ; ) {
      const page = this.all<Row>(sql, after, PAGE);
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      if (page.length < PAGE) return;
      after = key(last);
    }
  }

  private statement(sql: string): StatementSync {
    const known = this.statements.get(sql) ?? this.database.prepare(sql);
    this.statements.set(sql, known);
    return known;
  }

  private run(sql: string, ...values: (string | number | null)[]): void {
    this.statement(sql).run(...values);
  }

  private get<Row>(sql: string, ...values: (string | number)[]): Row | undefined {
    return this.statement(sql).get(...values) as Row | undefined;
  }

  private all<Row>(sql: string, ...values: (string | number)[]): Row[] {
    return this.statement(sql).all(...values) as Row[];
  }
}

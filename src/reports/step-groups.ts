import { shortId } from '../domain/display.ts';
import { rangesOf } from '../domain/finding.ts';
import { groupedAmount, type Sum, Totals } from '../domain/money.ts';
import { needsAttention, type Reason, type ShownState } from '../domain/payout-state.ts';
import { shownStateOf } from '../domain/returned.ts';
import type { PayoutRecord } from '../store/store.ts';
import { SLOWER } from './arrival-text.ts';
import { type NextStep, nextStep, remedyOf, type StepContext, SWITCHED_OFF } from './next-step.ts';

/** Rows of the same kind, as one entry. */
export interface StepGroup extends NextStep {
  state: ShownState;
  needsAttention: boolean;
  count: number;
  /** One for each currency, sorted by code. */
  totals: Sum[];
  /** In the given order. */
  rows: readonly PayoutRecord[];
}

/** Rows by kind, the kind with the oldest wait first; without completed rows and those that are just in progress. */
export function stepGroups(rows: readonly PayoutRecord[], context: StepContext): StepGroup[] {
  const tally = new StepTally();
  for (const row of rows) tally.add(row, nextStep(row, context));
  return tally.groups();
}

interface Tallied {
  first: { state: ShownState; reason: Reason | null; step: NextStep; reference: string };
  since: number;
  until: number | null;
  /** With the number of rows. */
  whos: Map<string, number>;
  whys: Set<string>;
  arrivals: Set<string>;
  batchIds: Set<string | null>;
  accountIds: Set<string>;
  count: number;
  totals: Totals;
  rows: PayoutRecord[];
  /** Data rows of the file, at most one more than `RETRIED_MAX`. */
  numbers: number[];
}

/** Most rows that a command names; with more it would be too long to paste. */
const RETRIED_MAX = 500;

/** Most different arrivals that are named. */
const ARRIVALS_MAX = 3;

/** Collects steps by kind, row by row; keeps only the first `rowsKept` rows of each. */
export class StepTally {
  readonly #kinds = new Map<string, Tallied>();
  readonly #rowsKept: number;

  constructor(rowsKept = Number.POSITIVE_INFINITY) {
    this.#rowsKept = rowsKept;
  }

  add(row: PayoutRecord, step: NextStep | undefined): void {
    const { reference, batchId } = row;
    const { state, reason } = shownStateOf(row);
    if (step === undefined || (reason === null && step.kind === state && !needsAttention(state))) return;
    // Rows that no command helps are grouped by what is to be done instead.
    const key = `${state} ${step.kind} ${step.commands.length === 0 ? step.todo : ''}`;
    const kind: Tallied = this.#kinds.get(key) ?? {
      first: { state, reason, step, reference },
      ...{ since: step.since, until: null, count: 0, rows: [], numbers: [] },
      ...{
        whos: new Map(),
        whys: new Set(),
        arrivals: new Set(),
        batchIds: new Set(),
        accountIds: new Set(),
        totals: new Totals(),
      },
    };
    this.#kinds.set(key, kind);
    kind.count += 1;
    kind.since = Math.min(kind.since, step.since);
    kind.until = step.until === null ? kind.until : Math.min(kind.until ?? step.until, step.until);
    // More values would not be shown.
    if (kind.whos.size < 3 || kind.whos.has(step.who)) kind.whos.set(step.who, (kind.whos.get(step.who) ?? 0) + 1);
    if (kind.whys.size < 2) kind.whys.add(step.why);
    if (kind.arrivals.size <= ARRIVALS_MAX && step.arrives !== undefined) kind.arrivals.add(step.arrives);
    if (step.accountId !== undefined) kind.accountIds.add(step.accountId);
    if (kind.batchIds.size < 2) kind.batchIds.add(batchId);
    kind.totals.add(row.instruction);
    if (kind.rows.length < this.#rowsKept) kind.rows.push(row);
    if (row.row !== null && kind.numbers.length <= RETRIED_MAX) kind.numbers.push(row.row);
  }

  groups(): StepGroup[] {
    return [...this.#kinds.values()]
      .map(groupOf)
      .sort((a, b) => Number(b.needsAttention) - Number(a.needsAttention) || a.since - b.since);
  }
}

function groupOf(kind: Tallied): StepGroup {
  const { state, reason, step } = kind.first;
  const { count, whys, whos } = kind;
  return {
    kind: step.kind,
    state,
    needsAttention: needsAttention(state, reason) || step.kind === SWITCHED_OFF || step.kind === SLOWER,
    // Messages differ in details between rows; the sentence for the code does not.
    why: whys.size > 1 ? (remedyOf(step.kind, state)?.says ?? step.why) + accountsText(kind) : step.why,
    hasEnded: step.hasEnded,
    ...(kind.arrivals.size > 0 && { arrives: arrivalsText(kind.arrivals) }),
    since: kind.since,
    until: kind.until,
    who: whoText(whos),
    todo: count === 1 || step.commands.length === 0 ? step.todo : (remedyOf(step.kind, state)?.todo ?? step.todo),
    commands: count === 1 ? step.commands : commandsOfMany(kind),
    byItself: step.byItself,
    count,
    totals: kind.totals.list().map(({ currency, amount }) => ({ currency, amount })),
    rows: kind.rows,
  };
}

const arrivalsText = (arrivals: ReadonlySet<string>): string =>
  arrivals.size > ARRIVALS_MAX ? 'differs from row to row' : [...arrivals].join('; or: ');

/** `carol (bob has approved) for 2 of them; bob or carol for 3`. */
function whoText(whos: ReadonlyMap<string, number>): string {
  if (whos.size > 2) return 'differs from row to row';
  const [first = ''] = whos.keys();
  return whos.size < 2 ? first : [...whos].map(([who, count]) => `${who} for ${groupedAmount(count)}`).join('; ');
}

const ACCOUNTS_NAMED = 5;

function accountsText({ accountIds }: Tallied): string {
  if (accountIds.size === 0) return '';
  const named = [...accountIds].slice(0, ACCOUNTS_NAMED).join(', ');
  return ` (${named}${accountIds.size > ACCOUNTS_NAMED ? ' and more' : ''})`;
}

/** Commands that decide rows of one kind in one batch together; what is done row by row leaves the row to be filled in. */
function commandsOfMany({ first, batchIds, numbers }: Tallied): readonly string[] {
  const { kind, commands } = first.step;
  const [batchId] = batchIds;
  const isOneBatch = batchId != null && batchIds.size === 1;
  const its = new RegExp(` ${shortId(first.reference)}\\b`);
  const ofEach = (command: string): string => command.replace(its, ' ID');
  if (!isOneBatch)
    return commands.map((command) =>
      ofEach(command).replace(/^payouts (resume|cancel) (?!ID$)\S+/, 'payouts $1 BATCH'),
    );
  const id = shortId(batchId);
  return commands.flatMap((command) => {
    // A retry of the batch would pay rows of other kinds too, or be refused because of them.
    if (command.startsWith('payouts retry '))
      return numbers.length > RETRIED_MAX ? [] : [`payouts retry ${id} --rows ${rangesOf(numbers)}`];
    return ofEach(command.replace(/^payouts (approve|reject) \S+/, `payouts $1 ${id} --kind ${kind}`));
  });
}

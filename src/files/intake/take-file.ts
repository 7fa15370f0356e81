import type { OriginalMessage } from '../../domain/bank-message.ts';
import type { Finding } from '../../domain/finding.ts';
import { aboutFile } from '../../domain/finding.ts';
import { inPages } from '../../store/in-pages.ts';
import { provenUnpaid } from '../../store/proven-unpaid.ts';
import type { ClaimRow } from '../../store/store.ts';
import { judgeRows } from './check-file.ts';
import type { KnownRows } from './checked-file.ts';
import {
  assertMayHandOver,
  claimFile,
  type IntakeDeps,
  type IntakeOptions,
  type Prepared,
  planned,
  prepareFile,
} from './intake.ts';
import { alreadyTaken, IntakeRefusal, OTHER_PLAN } from './intake-refusal.ts';
import { takenBefore } from './known-rows.ts';
import { assertMaker } from './maker.ts';
import { type Outlook, outlookOf } from './outlook.ts';
import type { Plan, StoreUse } from './plan.ts';
import { StagedFile } from './staged-file.ts';

export interface TakeOptions extends IntakeOptions {
  /** The caller can turn to an operator: rows that wait for one count as under way. */
  isAttended?: boolean;
}

/** The result of a dry run. */
export interface PlanDocument {
  schemaVersion: 1;
  plan: Plan & Outlook & { store: StoreUse };
  findings: Finding[];
  /** They stop nothing. */
  warnings: Finding[];
}

/** A row to be claimed, as its maker signs it. */
export interface PlannedRow {
  reference: string;
  /** Of its payload. */
  digest: string;
}

interface Proposal {
  plan: Plan;
  /** In the order in which they are signed. */
  rows(): PlannedRow[];
  claims(): Iterable<ClaimRow>;
  /** Why rows of the file are not included. */
  leftOut: readonly Finding[];
  /** What to look at before confirming. */
  warnings: readonly Finding[];
  /** Reads current balances and fees from the bank. */
  document(): Promise<PlanDocument>;
}

/** Asks the user, or compares with what was agreed to beforehand. Throws unless the plan is confirmed. */
export type Agree = (proposal: Proposal) => Promise<void> | void;

export type Taking =
  | { outcome: 'planned'; document: PlanDocument }
  | { outcome: 'claimed'; batchId: string }
  /**
   * Earlier batches took every row of the file and have not ended, or wait only for an operator: the oldest one, and all of them.
   */
  | { outcome: 'under-way' | 'with-operator'; batchId: string; batchIds: string[] };

/**
 * Takes a file: checks it, plans it, has the plan confirmed, claims and starts it. Claims nothing unless bank and Temporal
 * answer. The same `batchId` again, however the first try ended, finds the batch that was made. Throws an `IntakeRefusal` if the
 * file is refused.
 */
export async function takeFile(deps: IntakeDeps, path: string, options: TakeOptions, agree: Agree): Promise<Taking> {
  return (await madeBefore(deps, options)) ?? take(deps, await prepareFile(deps, path, options), options, agree);
}

/** The batch that an earlier try of this request made. */
async function madeBefore({ store, startBatch }: IntakeDeps, { batchId }: TakeOptions): Promise<Taking | undefined> {
  const made = batchId === undefined ? undefined : await store.batch(batchId);
  if (made === undefined) return undefined;
  if (made.endedAt === null) await startBatch(made.batchId, made.file);
  return { outcome: 'claimed', batchId: made.batchId };
}

/** Takes rows that are proven unpaid again, in the same way. */
export async function takeUnpaid(
  deps: IntakeDeps,
  rows: UnpaidRows,
  options: TakeOptions,
  agree: Agree,
): Promise<Taking> {
  return (await madeBefore(deps, options)) ?? take(deps, await prepareRetry(deps, rows, options), options, agree);
}

const UNSIGNED = aboutFile(
  0,
  'no-maker-signature',
  'no row carries the signature of its maker, so each needs an approval at least, even if no rule asks for one; the command signs with the key of a maker, and "unsigned" in the policy waives it',
);

async function take(deps: IntakeDeps, given: Prepared, options: TakeOptions, agree: Agree): Promise<Taking> {
  using prepared = given;
  const { plan, known, checked } = prepared;
  const { original } = checked.staged;
  if (plan === null) return takenAlready(deps, known, options, original);
  const by = deps.policy === undefined ? options.by : deps.maker;
  if (deps.policy === undefined && !options.dryRun) assertMaker(deps, by);
  if (deps.asksOne === true) checked.staged.warning({ file: checked.file, ...UNSIGNED });
  let document: Promise<PlanDocument> | undefined;
  const proposal: Proposal = {
    plan,
    rows: () => Array.from(checked.staged.claims(), ({ reference, payloadDigest: digest }) => ({ reference, digest })),
    claims: () => checked.staged.claims(),
    leftOut: checked.staged.findings.list(),
    warnings: checked.staged.warnings.list(),
    document: () => {
      document ??= planDocument(deps, prepared, plan);
      return document;
    },
  };
  await agree(proposal);
  if (options.dryRun) return { outcome: 'planned', document: await proposal.document() };
  await deps.assertReady();
  const claimed = await claimFile(deps, prepared, { ...options, by });
  if (!('batchId' in claimed)) return takenAlready(deps, claimed, options, original);
  await deps.startBatch(claimed.batchId, checked.file);
  return { outcome: 'claimed', batchId: claimed.batchId };
}

/** Throws if the plan does not have the hash that was agreed to. */
export function assertPlan({ hash }: Plan, agreed: string | undefined): void {
  if (agreed === undefined || agreed === hash) return;
  throw new IntakeRefusal('invalid-input', OTHER_PLAN, `The plan has changed to ${hash}; nothing was sent.`, {
    hint: 'Check it again with --dry-run, and run with the hash of the plan you accept.',
  });
}

async function planDocument(deps: IntakeDeps, { checked, known }: Prepared, plan: Plan): Promise<PlanDocument> {
  const outlook = await outlookOf(deps, plan, checked.staged);
  const findings = [...checked.staged.findings.list(), ...known.taken.list()];
  return {
    schemaVersion: 1,
    plan: { ...plan, ...outlook, store: await deps.storeUse() },
    findings,
    warnings: checked.staged.warnings.list(),
  };
}

/** The batches that took every row of the file. If one of them has this request's id, the request was sent twice concurrently. */
async function takenAlready(
  { store }: IntakeDeps,
  known: KnownRows,
  { batchId, isAttended }: TakeOptions,
  original: OriginalMessage | undefined,
): Promise<Taking> {
  if (batchId !== undefined && known.batchIds.has(batchId)) return { outcome: 'claimed', batchId };
  const { open, withOperator, latest } = await takenBefore(store, known);
  const batchIds = isAttended ? [...open, ...withOperator] : open;
  const [oldest] = batchIds;
  if (oldest === undefined) throw alreadyTaken(latest, original);
  return { outcome: open.length > 0 ? 'under-way' : 'with-operator', batchId: oldest, batchIds };
}

/** Rows of a batch: the given data rows, or all that are proven unpaid. */
interface UnpaidRows {
  batchId: string;
  rows: ReadonlySet<number> | undefined;
}

async function prepareRetry(
  deps: IntakeDeps,
  { batchId, rows: wanted }: UnpaidRows,
  options: IntakeOptions,
): Promise<Prepared> {
  const { store, bank } = deps;
  assertMayHandOver(deps, options);
  const batch = await store.batch(batchId);
  const staged = new StagedFile();
  try {
    for await (const page of inPages(store.rows(batchId))) {
      // A row that the bank now shows as paid is a finding, not one that is left out without a word.
      const unpaid = wanted === undefined ? await provenUnpaid(store, page) : new Set<string>();
      for (const { row: position, reference, instruction, original } of page) {
        const row = position ?? 0;
        // A named row that is not proven unpaid is a finding; without names, such rows are skipped.
        if (wanted === undefined ? !unpaid.has(reference) : !wanted.has(row)) continue;
        const again = { ...instruction, retry_of: reference } as Record<string, string>;
        staged.row({ row, line: row, instruction: again, ...(original === null ? {} : { original }) });
      }
    }
    staged.readingEnded();
    if (batch === undefined || staged.rowCount === 0) {
      throw new IntakeRefusal(
        'invalid-input',
        'nothing-to-retry',
        'No row of this batch is proven unpaid; nothing was sent.',
        {
          hint: `payouts report ${batchId} shows how each row ended.`,
          batchId,
        },
      );
    }
    const { file, sha256 } = batch;
    await judgeRows(file, staged, bank);
    return await planned(deps, { file, format: 'json', sha256, staged, retryOf: batchId }, options);
  } catch (error) {
    staged[Symbol.dispose]();
    throw error;
  }
}

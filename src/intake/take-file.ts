import type { Bank } from '../api/bank.ts';
import type { Finding } from '../domain/finding.ts';
import type { ApprovalRule } from '../domain/policy.ts';
import { claimFile, type IntakeOptions, type IntakeParts, type Prepared, prepareFile } from './intake.ts';
import { alreadyTaken } from './intake-refusal.ts';
import { takenBefore } from './known-batches.ts';
import type { KnownRows } from './known-rows.ts';
import { assertMaker } from './maker.ts';
import { type Outlook, outlookOf } from './outlook.ts';
import type { Plan } from './plan.ts';

const NAME_YOURSELF = 'Say who it is: by (HTTP), --by NAME (folder, schedule), or a token with a name.';

/** What a door without a person takes files with. */
export interface Door {
  parts: IntakeParts;
  bank: Bank;
  /** Rejects when Temporal does not answer. */
  assertTemporal(): Promise<void>;
  /** Starts the workflow of a batch unless it runs. A claimed batch that is not started now is started by a worker. */
  startBatch(batchId: string, file: string): Promise<void>;
  approvalRules: readonly ApprovalRule[];
}

/** The document of a dry run. */
export interface PlanDocument {
  schemaVersion: 1;
  plan: Plan & Outlook;
  findings: Finding[];
}

export type Taking =
  | { outcome: 'planned'; document: PlanDocument }
  /** `under-way`: an earlier batch took every row of the file and has not ended. */
  | { outcome: 'claimed' | 'under-way'; batchId: string };

/**
 * Takes a file without asking anybody: checks, claims and starts it, or plans it only. Nothing is claimed unless bank and
 * Temporal answer. The same `batchId` again, after whatever end of the first try, finds the batch that was made. Throws an
 * `IntakeRefusal` for a file that is not taken.
 */
export async function takeFile(
  door: Door,
  path: string,
  options: IntakeOptions & { dryRun?: boolean },
): Promise<Taking> {
  const { parts, bank } = door;
  const { batchId, by, dryRun = false } = options;
  const made = batchId === undefined ? undefined : await parts.store.batch(batchId);
  if (made !== undefined) {
    if (made.endedAt === null) await door.startBatch(made.batchId, made.file);
    return { outcome: 'claimed', batchId: made.batchId };
  }
  if (!dryRun) assertMaker(door.approvalRules, by, NAME_YOURSELF);
  using prepared = await prepareFile(parts, bank, path, options);
  if (prepared.plan === null) return followed(parts, prepared.known, batchId);
  if (dryRun) return { outcome: 'planned', document: await planDocument(bank, prepared, prepared.plan) };
  await door.assertTemporal();
  await bank.authenticate();
  const claim = await claimFile(parts, prepared, options);
  if (!claim.claimed) return followed(parts, claim.known, batchId);
  await door.startBatch(claim.batchId, prepared.checked.file);
  return { outcome: 'claimed', batchId: claim.batchId };
}

async function planDocument(bank: Bank, { checked, known }: Prepared, plan: Plan): Promise<PlanDocument> {
  const outlook = await outlookOf(bank, plan, checked.staged);
  const findings = [...checked.staged.findings.list(), ...known.taken.list()];
  return { schemaVersion: 1, plan: { ...plan, ...outlook }, findings };
}

/** The batch that took every row of the file: ours, if this request came twice at once. */
async function followed({ store }: IntakeParts, known: KnownRows, batchId: string | undefined): Promise<Taking> {
  if (batchId !== undefined && known.batchIds.has(batchId)) return { outcome: 'claimed', batchId };
  const { open, latest } = await takenBefore(store, known);
  const [firstOpen] = open;
  if (firstOpen !== undefined) return { outcome: 'under-way', batchId: firstOpen };
  throw alreadyTaken(latest);
}

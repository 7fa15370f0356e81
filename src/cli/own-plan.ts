import { isDeepStrictEqual } from 'node:util';
import { OFFER } from '../channels/http/operations/bank.ts';
import type { RetriedRow } from '../channels/http/operations/retry.ts';
import { visible } from '../domain/finding.ts';
import { referenceOf } from '../domain/identity.ts';
import type { PayoutInstruction } from '../domain/instruction.ts';
import { Problem } from '../domain/problem.ts';
import { claimRow } from '../files/intake/claims.ts';
import { type MessageFiles, messageContextOf } from '../files/intake/message-context.ts';
import { type Plan, planOf } from '../files/intake/plan.ts';
import { StagedFile } from '../files/intake/staged-file.ts';
import type { PlannedRow } from '../files/intake/take-file.ts';
import { FILE_NAMES, isMessage, readInstructions } from '../files/read-file.ts';
import { type RequiredDetailsOf, withoutSpare } from '../files/rules/beneficiary-rules.ts';
import { REQUIRED_COLUMNS } from '../files/rules/field-rules.ts';
import type { ReadRow } from '../files/rules/read-row.ts';
import { itemsInTurns } from '../files/turns.ts';
import { whyUnreadable } from '../files/unreadable.ts';
import { credentialId, publicKeyOf, verifyStatement } from '../people/signing/ed25519.ts';
import { isRowOfPlan } from '../people/signing/plan.ts';
import type { ClaimRow } from '../store/store.ts';
import type { Session } from './session.ts';

/**
 * The rows of a file as this machine reads them, each as it can be claimed: a gateway's plan is compared with them. Undefined for a
 * bank message without a mapping here, which only the gateway can complete. What is wrong in the file is for the gateway to find.
 * The caller disposes of it.
 */
export async function rowsHere(session: Session, path: string, files: MessageFiles): Promise<StagedFile | undefined> {
  const staged = new StagedFile();
  try {
    const context = await messageContextOf(session.config, files, Date.now());
    const { format } = await readInstructions(path, staged, context).catch((error: NodeJS.ErrnoException) => {
      throw error.syscall === undefined ? error : unreadable(path, error);
    });
    const hasMapping = (files.mapping ?? session.config.messageMapping) !== undefined;
    if (isMessage(format) && !hasMapping) {
      staged[Symbol.dispose]();
      return undefined;
    }
    staged.readingEnded();
    const asked = await detailsAsked(session, staged);
    for await (const read of itemsInTurns(staged.rows())) claimRead(staged, read, asked);
    return staged;
  } catch (error) {
    staged[Symbol.dispose]();
    throw error;
  }
}

export const unreadable = (path: string, error: NodeJS.ErrnoException): Problem =>
  new Problem('usage', 'file-unreadable', `${path} ${whyUnreadable(error)}.`, {
    hint: `Name an existing file: ${FILE_NAMES}.`,
  });

function claimRead(
  staged: StagedFile,
  { row, instruction: text, spare = [] }: ReadRow,
  asked: RequiredDetailsOf,
): void {
  const { retry_of: earlier, ...given } = withoutBlanks(text);
  // The gateway refuses rows like these.
  if (REQUIRED_COLUMNS.some((column) => given[column] === undefined)) return;
  const instruction = withoutSpare(given as PayoutInstruction, spare, asked);
  if (staged.firstOf(instruction.uid, instruction.id).row !== row) return;
  const generation = earlier === undefined ? 0 : generationAfter(instruction, earlier);
  if (generation !== undefined) staged.claim(claimRow({ row, instruction, generation }));
}

const withoutBlanks = (text: Readonly<Record<string, string>>): Partial<Record<string, string>> =>
  Object.fromEntries(Object.entries(text).filter(([, value]) => value.trim() !== ''));

/** Nobody pays a document this often. */
const GENERATIONS_MAX = 1_000;

/** The generation that follows the payout with this reference; undefined: it is not one of this document. */
function generationAfter({ uid, id }: PayoutInstruction, earlier: string): number | undefined {
  for (let generation = 0; generation < GENERATIONS_MAX; generation += 1) {
    if (referenceOf(uid, id, 'payment', generation) === earlier) return generation + 1;
  }
  return undefined;
}

/** What the bank asks for of payees, as the gateway says: it decides only which further details of a message are left out. */
async function detailsAsked(session: Session, staged: StagedFile): Promise<RequiredDetailsOf> {
  const hasSpare = staged.rows().some(({ spare = [] }) => spare.length > 0);
  const currencies = hasSpare ? new Set(staged.pairs.list().map(({ currency }) => currency)) : [];
  const entries = new Map(
    await Promise.all(
      [...currencies].map(async (currency) => {
        const { entries: offered } = await session.ask(OFFER, { currency }).catch((error: unknown) => {
          // A currency in which the bank offers nothing: the gateway's findings say so.
          if (error instanceof Problem && error.kind === 'usage') return { entries: [] };
          throw error;
        });
        return [currency, offered] as const;
      }),
    ),
  );
  return (currency, type) => entries.get(currency)?.filter(({ beneficiary_type }) => beneficiary_type === type);
}

const NO_DAYS = { today: '', dueDate: (executeOn: string) => executeOn };
/** Of a plan, what follows from its rows alone. */
const FIGURES = ['payouts', 'newBeneficiaries', 'retries', 'totals', 'accounts'] as const;

/**
 * Throws a `Problem` unless every row of a gateway's plan is one of these claims (in the order of their references), and the plan
 * says of them what they amount to.
 */
export async function assertPlanOf(plan: Plan, rows: readonly PlannedRow[], claims: Iterable<ClaimRow>): Promise<void> {
  const planned = new Map(rows.map(({ reference, digest }) => [reference, digest]));
  let found = 0;
  function* included(): Generator<ClaimRow> {
    for (const claim of claims) {
      const digest = planned.get(claim.reference);
      if (digest === undefined) continue;
      if (digest !== claim.payloadDigest) throw planDiffers(plan, `document ${visible(claim.instruction.id)}`);
      found += 1;
      yield claim;
    }
  }
  const own = await planOf(plan.file, itemsInTurns(included()), plan.lookAlikes, NO_DAYS);
  if (found !== rows.length) throw planDiffers(plan, 'a payout that is not here');
  if (FIGURES.some((name) => !isDeepStrictEqual(own[name], plan[name]))) throw planDiffers(plan, 'what they amount to');
}

/**
 * Whether the owner of a key has signed every row before, as its generation before this one. Throws a `Problem` if a plan has
 * something else than these rows, or what is shown as signed is not.
 */
export async function areSignedBefore(privateKey: string, plan: Plan, rows: readonly RetriedRow[]): Promise<boolean> {
  const publicKey = publicKeyOf(privateKey);
  const claims = rows.map(({ instruction, generation }) => claimRow({ row: 0, instruction, generation }));
  await assertPlanOf(plan, rows, claims);
  for (const { instruction, generation, digest, before } of rows) {
    if (before?.credential !== credentialId(publicKey)) return false;
    const { uid, id } = instruction;
    const earlier = { reference: referenceOf(uid, id, 'payment', generation - 1), digest };
    const isMade = before.question === 'make' && before.decision === 'approve';
    if (
      isMade &&
      isRowOfPlan(before.digest, earlier, before.inclusion) &&
      verifyStatement(before, publicKey, before.signature)
    )
      continue;
    throw planDiffers(plan, `document ${visible(id)}, which was not signed like this`);
  }
  return true;
}

export const planDiffers = ({ file }: Pick<Plan, 'file'>, what: string): Problem =>
  new Problem(
    'conflict',
    'plan-differs',
    `The gateway's plan of ${visible(file)} is not what this machine knows of it: it differs in ${what}. Nothing was signed or sent.`,
    {
      hint: 'For a bank message, compare mapping and payee directory with those of the gateway; else have the gateway examined before you use it again.',
    },
  );

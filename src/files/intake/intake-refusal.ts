import type { OriginalMessage } from '../../domain/bank-message.ts';
import { Problem } from '../../domain/problem.ts';
import type { FindingList } from '../rules/finding-list.ts';

/** A bank message refused as a whole. */
export interface UnansweredMessage {
  /** Null if its head could not be read. */
  message: OriginalMessage | null;
  /** Of its bytes. */
  sha256: string;
}

/** Code of a refusal because of findings. */
export const INPUT_INVALID = 'input-invalid';
/** Code of a refusal because something has changed since the plan was made: the file may be handed over again. */
export const OTHER_PLAN = 'other-plan';

/** A file that is not taken: nothing was claimed, nothing sent. A value until the channel throws or answers it. */
export class IntakeRefusal extends Problem {
  /** The pain.001 that must be answered; absent for other formats and for messages already answered. */
  unanswered?: UnansweredMessage;
}

/** Trace numbers and lodgement references often begin again with each file; an end-to-end id does not. */
export const ifIdsRepeat = (message: OriginalMessage | undefined): string =>
  message === undefined || message.format.startsWith('pain.')
    ? ''
    : ' If this file repeats no other, its ids do: set "identity": "position" in the mapping file, which numbers the rows.';

/** All rows were taken by batches that have ended; `latest` is the last of them. */
export function alreadyTaken(latest: string | undefined, original?: OriginalMessage): IntakeRefusal {
  const message = 'All rows of this file were already taken; nothing was sent.';
  const hint =
    latest === undefined
      ? 'Give `payouts status` the id of one of its rows: it shows what you may see.'
      : `payouts report ${latest} shows how it ended.`;
  return new IntakeRefusal('already-taken', 'already-taken', message, {
    batchId: latest,
    hint: hint + ifIdsRepeat(original),
  });
}

/** Findings about what a bank message lacks and the two files can supply. */
const COMPLETED: ReadonlySet<string> = new Set([
  'no-beneficiary-type',
  'no-payment-type',
  'unmapped-account',
  'unmapped-clearing-system',
]);
/** What the two files can lack themselves; in a file of ours it is a fault of the file. */
const IN_DIRECTORY: ReadonlySet<string> = new Set([...COMPLETED, 'required']);
const PLAIN_NAME = /^[\w.-]+$/;

/** How to complete a bank message, in commands for the folder of the file. */
function howToComplete(file: string): string {
  const name = PLAIN_NAME.test(file) ? file : 'FILE';
  return `In its folder, \`payouts template mapping --from ${name} > mapping.json\`, then \`payouts template payees --from ${name} --mapping mapping.json > payees.csv\` write the two files that complete this message. Fill in what they lack and give both: \`payouts validate ${name} --mapping mapping.json --payees payees.csv\`.`;
}

export function invalidInput(found: FindingList, mend: string): IntakeRefusal {
  const findings = found.list();
  const [{ file = '' } = {}] = findings;
  const isIncomplete = findings.some(({ rule }) => COMPLETED.has(rule));
  const isOnlyIncomplete = isIncomplete && findings.every(({ rule }) => IN_DIRECTORY.has(rule));
  const first = isOnlyIncomplete ? 'The file itself needs no change: it lacks what only you know.' : mend;
  const hint = isIncomplete ? `${first} ${howToComplete(file)}` : mend;
  const places = new Set(findings.map(({ row, line }) => row ?? `line ${line}`)).size;
  const where = places === found.total ? '' : ` in ${places} ${places === 1 ? 'place' : 'places'}`;
  const counted = `${found.total} ${found.total === 1 ? 'finding' : 'findings'}${where}`;
  return new IntakeRefusal('invalid-input', INPUT_INVALID, `${counted}; nothing was sent.`, { findings, hint });
}

/** Rows with the id of another payout, or that retry one which may not be paid again. `others`: what to do with the other rows. */
export function misusedIds(
  found: FindingList,
  original: OriginalMessage | undefined,
  others = 'Correct or remove the rows, and run again.',
): IntakeRefusal {
  const isReused = found.list().some(({ rule }) => rule === 'id-reused');
  const mend = `Each id is one payout permanently.${ifIdsRepeat(original)}`;
  return invalidInput(found, isReused ? mend : others);
}

const CHANGED = {
  'message-taken': 'Another file has just used this message id',
  'look-alike': 'A payout that looks like a row of this file has just been taken',
  rows: 'Another run has just taken rows of this file',
} as const;

export const otherPlan = (changed: keyof typeof CHANGED): IntakeRefusal =>
  new IntakeRefusal('invalid-input', OTHER_PLAN, `${CHANGED[changed]}; nothing was sent.`, {
    hint: 'Run again and check the plan.',
  });

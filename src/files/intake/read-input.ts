import type { Exchanges } from '../../domain/agreed-cost.ts';
import type { SignedDecision, Statement } from '../../domain/authority.ts';
import { counted } from '../../domain/display.ts';
import { withoutBound } from '../../domain/instruction.ts';
import { isoDate } from '../../domain/time.ts';
import type { App } from '../../platform/app.ts';
import { inPages } from '../../store/in-pages.ts';
import { provenUnpaid } from '../../store/proven-unpaid.ts';
import { whyUnreadable } from '../input.ts';
import { type MessageFiles, messageContextOf } from '../messages/message-context.ts';
import { FILE_NAMES, type InstructionFile, readInstructions } from '../read-file.ts';
import type { Days } from '../rules/warnings.ts';
import type { QuotedExchange } from './exchange-quotes.ts';
import { IntakeRefusal } from './intake-refusal.ts';
import { StagedFile } from './staged-file.ts';

/** What a file is read, checked, compared and planned with: nothing is started for it. */
export type FileReader = Pick<App, 'config' | 'now'>;
export type ReadingApp = Pick<App, 'config' | 'store' | 'bank' | 'now'>;

/** Whether the person who hands a file over may see a batch. */
export type MayDiscloseOf = (batchId: string) => Promise<boolean>;

/** Options of taking a file, and who hands it over. */
export interface TakeOptions extends MessageFiles {
  /** `stop`: one bad row stops the file; `skip`: the others are paid. */
  invalid: 'stop' | 'skip';
  /** Number of rows that are paid first, alone. */
  canary?: number;
  /** Whether one exchange for each currency buys for all rows; absent: `PAYOUTS_EXCHANGE`. */
  exchange?: Exchanges | undefined;
  /** Look-alikes are intended: they are not held. */
  allowLookAlikes?: boolean;
  dryRun?: boolean;
  /** How long nothing is sent, so that it can be taken back, ms; absent: `PAYOUTS_UNDO`, or not at all. */
  undoMs?: number;
  /** Id of the batch, for a caller that may have to find it again; absent: a new one. */
  batchId?: string;
  /** The caller can turn to an operator: rows that wait for one count as under way. */
  isAttended?: boolean;
  /** Name of the maker, used without a policy. */
  by?: string;
  /** The maker, as proven at the channel; used under a policy. */
  maker?: string;
  /** Signs as that maker, where the channel can; absent: it has no key of theirs. */
  sign?: (about: Pick<Statement, 'storeId' | 'question' | 'reference' | 'digest'>) => SignedDecision;
  /** The maker signs once the plan is known. */
  willSign?: boolean;
  /** Those of the plan that the maker has signed; absent: they are read from the bank. */
  quotes?: readonly QuotedExchange[];
  /** Absent: of every batch. */
  mayDiscloseOf?: MayDiscloseOf;
}

/** A file that was read; what is found out of its rows is kept in `staged`, which the caller disposes of. */
export interface ReadFile extends InstructionFile {
  staged: StagedFile;
  /** The batch of which these are the unpaid rows. */
  retryOf?: string;
}

export const daysOf = ({ config, now }: ReadingApp): Days => ({
  today: isoDate(now()),
  calendar: config.settings.calendar,
});

/** Reads every row of a file. A refusal if it cannot be opened; everything wrong inside is a finding. */
export async function readFile(
  { config, now }: FileReader,
  path: string,
  files: MessageFiles = {},
): Promise<ReadFile | IntakeRefusal> {
  const context = await messageContextOf(config, files, now());
  const staged = new StagedFile();
  try {
    const input = await readInstructions(path, staged, context);
    staged.readingEnded();
    return { ...input, staged };
  } catch (error) {
    staged[Symbol.dispose]();
    // Others with a code are not about the file: a full disk under the rows read so far, say.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return new IntakeRefusal('usage', 'file-unreadable', `${path} ${whyUnreadable(error as NodeJS.ErrnoException)}.`, {
      hint: `Name an existing file: ${FILE_NAMES}.`,
    });
  }
}

/** Rows of a batch: the given data rows, or all that are proven unpaid. */
export interface UnpaidRows {
  batchId: string;
  rows: ReadonlySet<number> | undefined;
}

/** The same for rows of a batch that are to be paid again. A refusal if there are none. */
export async function readUnpaid(
  { store }: ReadingApp,
  { batchId, rows: wanted }: UnpaidRows,
): Promise<ReadFile | IntakeRefusal> {
  const batch = await store.batch(batchId);
  const staged = new StagedFile();
  let erased = 0;
  try {
    for await (const page of inPages(store.rows(batchId))) {
      // A row that the bank now shows as paid is a finding, not one that is left out without a word.
      const unpaid = wanted === undefined ? await provenUnpaid(store, page) : new Set<string>();
      for (const { row: position, reference, instruction, original, erasedAt } of page) {
        const row = position ?? 0;
        // A named row that is not proven unpaid is a finding; without names, such rows are skipped.
        if (wanted === undefined ? !unpaid.has(reference) : !wanted.has(row)) continue;
        if (erasedAt !== null) {
          erased += 1;
          continue;
        }
        const again = { ...withoutBound(instruction), retry_of: reference } as Record<string, string>;
        staged.row({ row, line: row, instruction: again, ...(original === null ? {} : { original }) });
      }
    }
    staged.readingEnded();
  } catch (error) {
    staged[Symbol.dispose]();
    throw error;
  }
  if (batch !== undefined && staged.rowCount > 0 && (erased === 0 || wanted === undefined)) {
    return { file: batch.file, format: 'json', sha256: batch.sha256, staged, retryOf: batchId };
  }
  staged[Symbol.dispose]();
  if (erased > 0) {
    const message = `The payee details of ${counted(erased, 'row')} are erased (PAYOUTS_RETENTION_DAYS); nothing was sent.`;
    const hint = 'Submit them in a new file, with new ids.';
    return new IntakeRefusal('invalid-input', 'personal-data-erased', message, { hint, batchId });
  }
  const message = 'No row of this batch is proven unpaid; nothing was sent.';
  const hint = `payouts report ${batchId} shows how each row ended.`;
  return new IntakeRefusal('invalid-input', 'nothing-to-retry', message, { hint, batchId });
}

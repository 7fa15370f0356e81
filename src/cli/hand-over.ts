import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { v7 } from 'uuid';
import { RETRY } from '../channels/http/operations/retry.ts';
import type { SignedDecision } from '../domain/authority.ts';
import { Problem } from '../domain/problem.ts';
import type { MessageFiles } from '../files/intake/message-context.ts';
import type { PlanDocument, PlannedRow, TakeOptions } from '../files/intake/take-file.ts';
import type { ValidFile } from '../files/intake/validate-file.ts';
import { signablePlan } from '../people/signing/plan.ts';
import { areSignedBefore, assertPlanOf, planDiffers, rowsHere, unreadable } from './own-plan.ts';
import type { Session } from './session.ts';
import type { Signer } from './signer.ts';

/** What a gateway says of what it was handed: its plan, or which batch has it. */
export type Handed = { outcome: 'planned'; document: PlanDocument } | Claimed;
type Claimed = { outcome: 'claimed' | 'under-way'; batchId: string };

/** Hands payouts over to a gateway. */
export interface HandOver {
  /** Its plan, compared with what this machine knows itself. */
  plan(): Promise<Handed>;
  /** Has them paid if this is still the plan; signed by their maker, where this machine knows them. */
  pay(plan: string): Promise<Claimed>;
}

type Options = Pick<TakeOptions, 'invalid' | 'canary' | 'allowLookAlikes' | 'by'> & MessageFiles;
type Asked = { dryRun: boolean; plan?: string; rows?: true };
type PlannedAnswer = PlanDocument & { rows?: readonly PlannedRow[] };

/** Of a file, whose rows its maker signs as this machine reads them. */
export function uploading(session: Session, path: string, { sign }: Signer, options: Options): HandOver {
  if (session.key === undefined) assertNoMessageFiles(options);
  let signing: readonly PlannedRow[] | undefined;
  const hand = async (asked: Asked, headers = {}): Promise<Response> =>
    send(session, `/v1/batches?${queryOf({ ...options, ...asked, file: basename(path) })}`, path, headers);
  return {
    async plan() {
      using own = session.key === undefined ? undefined : await rowsHere(session, path, options);
      const answer = await hand({ dryRun: true, ...(own !== undefined && { rows: true }) });
      const planned = (await answer.json()) as PlannedAnswer | { batchId: string };
      if (!('plan' in planned)) return claimed(answer, planned);
      const { rows = [], ...document } = planned;
      if (own !== undefined) {
        await assertPlanOf(document.plan, rows, own.claims());
        if (options.invalid === 'stop' && rows.length < own.rowCount) throw planDiffers(document.plan, 'rows left out');
        signing = rows;
      } else if (session.key !== undefined) session.output.say(UNSIGNED_MESSAGE);
      return { outcome: 'planned', document };
    },
    async pay(plan) {
      const signed = signedRows(sign, signing);
      const encoded = signed && Buffer.from(JSON.stringify(signed)).toString('base64url');
      const answer = await hand({ dryRun: false, plan }, encoded && { 'payouts-signed': encoded });
      return claimed(answer, (await answer.json()) as { batchId: string });
    },
  };
}

/** The signature of the maker over rows, under the id of the batch that they become; undefined without a policy. */
const signedRows = (sign: Signer['sign'], rows: readonly PlannedRow[] | undefined): SignedDecision | undefined =>
  rows && sign?.({ question: 'make', reference: v7(), digest: signablePlan(rows).digest });

const claimed = ({ status }: Response, { batchId }: { batchId: string }): Claimed => ({
  outcome: status === 202 ? 'claimed' : 'under-way',
  batchId,
});

const UNSIGNED_MESSAGE =
  'The gateway completes this bank message by its own mapping and payee directory, so its rows are not signed here. Give copies of these files with --mapping and --payees to sign them.';

/** Has a gateway check a file. */
export async function checking(session: Session, path: string): Promise<ValidFile> {
  const query = new URLSearchParams({ file: basename(path), check: 'true' });
  return (await (await send(session, `/v1/batches?${query}`, path)).json()) as ValidFile;
}

/** Sends a file as it is. Throws a `Problem` if it cannot be read. */
async function send(
  session: Session,
  address: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { gateway } = session;
  if (gateway === undefined) throw new Error('there is no gateway to send to');
  const file = createReadStream(path);
  await new Promise((opened, failed) => file.once('open', opened).once('error', failed)).catch((error: unknown) => {
    throw unreadable(path, error as NodeJS.ErrnoException);
  });
  return gateway.send(address, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: Readable.toWeb(file) as ReadableStream<Uint8Array>,
    duplex: 'half',
  } as RequestInit);
}

function queryOf(options: Options & Asked & { file: string }): URLSearchParams {
  const { file, invalid, canary, allowLookAlikes, by, dryRun, plan, rows } = options;
  const members = {
    file,
    invalid,
    canary,
    by,
    plan,
    rows,
    dry_run: dryRun,
    allow_look_alikes: allowLookAlikes,
    attended: true,
  };
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
}

/** Throws a `Problem` for files that complete a bank message, where nothing is signed: the gateway has its own. */
export function assertNoMessageFiles({ mapping, payees }: MessageFiles): void {
  if (mapping === undefined && payees === undefined) return;
  throw new Problem('usage', 'not-through-gateway', 'A gateway has a mapping and a payee directory of its own.', {
    hint: 'Omit --mapping and --payees: only `run` with the key of a maker reads them, for what it signs.',
  });
}

/** Of rows of a batch that are proven unpaid; their maker signs again what they have signed before. */
export function retrying(
  session: Session,
  id: string,
  { sign }: Signer,
  { rows, canary, allowLookAlikes, by }: Options & { rows: ReadonlySet<number> | undefined },
): HandOver {
  const options = { id, rows: rows && [...rows], canary, allowLookAlikes: allowLookAlikes === true, by };
  let signing: readonly PlannedRow[] | undefined;
  const planned = async (signs: boolean) => (await session.ask(RETRY, { ...options, dryRun: true, signs })).handed;
  return {
    async plan() {
      const handed = await planned(session.key !== undefined);
      if (handed.outcome !== 'planned' || session.key === undefined) return handed;
      const { document, rows: retried = [] } = handed;
      if (await areSignedBefore(session.key, document.plan, retried)) {
        signing = retried;
        return handed;
      }
      session.output.say(UNSIGNED_RETRY);
      return planned(false);
    },
    async pay(plan) {
      const signed = signedRows(sign, signing);
      const { handed } = await session.ask(RETRY, { ...options, dryRun: false, signs: false, plan, signed });
      if (handed.outcome !== 'planned') return handed;
      throw new Problem('internal', 'no-gateway', 'The gateway has answered a plan to what was to be paid.');
    },
  };
}

const UNSIGNED_RETRY =
  'Not all of these rows were signed before with your key, so none is signed now. To sign them, run a file that has them: `failed.csv` of the batch, or your own with `retry_of`.';

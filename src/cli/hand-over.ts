import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { RETRY } from '../channels/http/operations/retry.ts';
import { Problem } from '../domain/problem.ts';
import type { MessageFiles } from '../files/intake/message-context.ts';
import type { PlanDocument, PlannedRow, TakeOptions } from '../files/intake/take-file.ts';
import type { ValidFile } from '../files/intake/validate-file.ts';
import { FILE_NAMES } from '../files/read-file.ts';
import { whyUnreadable } from '../files/unreadable.ts';
import type { Session } from './session.ts';
import { signedRows } from './signed-rows.ts';
import type { Signer } from './signer.ts';

/** What a gateway says of what it was handed: its plan, or which batch has it. */
export type Handed =
  | { outcome: 'planned'; document: PlanDocument; rows?: readonly PlannedRow[] }
  | { outcome: 'claimed' | 'under-way'; batchId: string };

/** Hands payouts over to a gateway: for their plan and rows, or to be paid if this is still the plan. */
export type HandOver = (
  asked: { dryRun: true } | { dryRun: false; plan: string; rows: readonly PlannedRow[] | undefined },
) => Promise<Handed>;

type Options = Pick<TakeOptions, 'invalid' | 'canary' | 'allowLookAlikes' | 'by'> & MessageFiles;

/** Of a file, whose rows its maker signs. */
export function uploading(session: Session, path: string, signer: Signer, options: Options): HandOver {
  assertNoMessageFiles(options);
  return async (asked) => {
    const { dryRun } = asked;
    const signed = dryRun || asked.rows === undefined ? undefined : await signedRows(session, signer, path, asked.rows);
    const plan = dryRun ? undefined : asked.plan;
    const rows = dryRun && signer.sign !== undefined ? true : undefined;
    const query = queryOf({ ...options, file: basename(path), dryRun, plan, rows });
    const headers: Record<string, string> =
      signed === undefined ? {} : { 'payouts-signed': Buffer.from(JSON.stringify(signed)).toString('base64url') };
    const response = await send(session, `/v1/batches?${query}`, path, headers);
    const answer = (await response.json()) as (PlanDocument & { rows?: PlannedRow[] }) | { batchId: string };
    if ('plan' in answer) {
      const { rows, ...document } = answer;
      return { outcome: 'planned', document, rows };
    }
    return { outcome: response.status === 202 ? 'claimed' : 'under-way', batchId: answer.batchId };
  };
}

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
    throw new Problem('usage', 'file-unreadable', `${path} ${whyUnreadable(error as NodeJS.ErrnoException)}.`, {
      hint: `Name an existing file: ${FILE_NAMES}.`,
    });
  });
  return gateway.send(address, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: Readable.toWeb(file) as ReadableStream<Uint8Array>,
    duplex: 'half',
  } as RequestInit);
}

function queryOf(
  options: Options & { file: string; dryRun: boolean; plan: string | undefined; rows: true | undefined },
): URLSearchParams {
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

/** Those that complete a bank message are the gateway's. */
export function assertNoMessageFiles({ mapping, payees }: MessageFiles): void {
  if (mapping === undefined && payees === undefined) return;
  throw new Problem('usage', 'not-through-gateway', 'A gateway has a mapping and a payee directory of its own.', {
    hint: 'Omit --mapping and --payees; PAYOUTS_MESSAGE_MAPPING and PAYOUTS_PAYEE_DIRECTORY of the gateway name them.',
  });
}

/** Of rows of a batch that are proven unpaid. */
export const retrying =
  (
    session: Session,
    id: string,
    { rows, canary, allowLookAlikes, by }: Options & { rows: ReadonlySet<number> | undefined },
  ): HandOver =>
  async (asked) =>
    (
      await session.ask(RETRY, {
        id,
        rows: rows && [...rows],
        canary,
        allowLookAlikes: allowLookAlikes === true,
        by,
        dryRun: asked.dryRun,
        plan: asked.dryRun ? undefined : asked.plan,
      })
    ).handed;

/** Throws a `Problem` for a plan, which was not asked for. */
export function handedOver(handed: Handed): Exclude<Handed, { outcome: 'planned' }> {
  if (handed.outcome !== 'planned') return handed;
  throw new Problem('internal', 'no-gateway', 'The gateway has answered a plan to what was to be paid.');
}

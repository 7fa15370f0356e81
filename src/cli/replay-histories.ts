import { basename, resolve } from 'node:path';
import { counted, widthOf, wrap } from '../domain/display.ts';
import { Problem } from '../domain/problem.ts';
import { createLog } from '../platform/log.ts';
import { GRPC, grpcStatusOf } from '../platform/temporal/connection.ts';
import {
  type HistoryFile,
  historyFilesIn,
  pullHistories,
  type ReplayProblem,
  readHistory,
  replayHistories,
} from '../platform/temporal/replay.ts';
import { installRuntime } from '../platform/temporal/worker-runtime.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { shellWord } from './output.ts';
import type { Session } from './session.ts';

interface Failed {
  file: string;
  workflowId: string | null;
  workflowType: string | null;
  problem: ReplayProblem | 'no-history';
  /** A sentence without its full stop. */
  message: string;
  todo: string;
}

const TODO: Readonly<Record<Failed['problem'], string>> = {
  nondeterminism:
    'put the change behind patched() or into a new workflow type; an execution like this one would get stuck',
  'key-missing': 'set PAYOUTS_CODEC_KEYS to the keys of the workers that ran it',
  failed: 'see the message; an execution like this one would get stuck',
  'no-history': 'remove it, or pull it again with payouts histories pull',
};

/** `payouts replay DIR`: the check before a new build is rolled out (exit 5 if a history does not replay). */
export async function replay({ config, output }: Session, dir: string): Promise<ExitCode> {
  const folder = resolve(dir);
  const paths = historyFilesIn(folder);
  if (paths === undefined || paths.length === 0) {
    const what = paths === undefined ? 'does not exist' : 'contains no *.json file';
    throw new Problem('usage', 'no-histories', `${folder} ${what}.`, {
      hint: `payouts histories pull --to ${shellWord(dir)} writes the open ones of a namespace to it.`,
    });
  }
  const failed: Failed[] = [];
  const histories = paths.flatMap((path) => readable(path, failed));
  // What the SDK would log about a failing history is reported below, once.
  installRuntime(createLog(config.logLevel ?? 'silent'));
  let count = 0;
  for await (const { file, replayed } of replayHistories(histories, config.codecKeys)) {
    count += 1;
    output.progress(`${count} of ${counted(histories.length, 'history', 'histories')}`);
    const { problem, message } = replayed;
    if (problem === undefined) continue;
    const { file: name, workflowId, workflowType } = file;
    failed.push({ file: name, workflowId, workflowType, problem, message, todo: TODO[problem] });
  }
  const good = paths.length - failed.length;
  output.result(
    { replay: { folder, histories: paths.length, replayed: good, failed } },
    [
      ...failed.flatMap(linesOf),
      `${counted(good, 'history replays', 'histories replay')} with this build${failed.length === 0 ? '' : `, ${failed.length} ${failed.length === 1 ? 'does' : 'do'} not`}.`,
    ].join('\n'),
  );
  return failed.length === 0 ? EXIT.completed : EXIT.exceptions;
}

function linesOf({ file, problem, message, todo }: Failed): string[] {
  const width = widthOf(process.stdout) - 2;
  const lines = [oneLine(message), todo].flatMap((text) => wrap(text, width));
  return [`${file}: ${problem}`, ...lines.map((line) => `  ${line}`)];
}

function readable(path: string, failed: Failed[]): HistoryFile[] {
  try {
    return [readHistory(path)];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const problem = 'no-history';
    failed.push({ file: basename(path), workflowId: null, workflowType: null, problem, message, todo: TODO[problem] });
    return [];
  }
}

/** One line for each, however the SDK words it. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').replace(/\.$/, '').slice(0, 300);

export async function pull(
  session: Session,
  { to, query, limit }: { to: string; query: string | undefined; limit: number },
): Promise<void> {
  const { config, output } = session;
  const folder = resolve(to);
  // A stack booted for this would run a worker, which would change these histories.
  await session.stack(config.temporal.kind === 'embedded' ? 'join-only' : 'join-or-boot');
  const onCount = (count: number): void => output.progress(counted(count, 'history', 'histories'));
  const pulled = pullHistories(await session.client(), folder, { query, limit, onCount });
  const count = await pulled.catch((error: unknown) => {
    throw query !== undefined && grpcStatusOf(error) === GRPC.INVALID_ARGUMENT ? queryRefused(error) : error;
  });
  const isEncrypted = config.codecKeys() !== undefined;
  const payloads = isEncrypted
    ? 'Payloads are encrypted as in Temporal: payouts replay needs the same keys.'
    : 'Payloads are in clear text, with payees and accounts: delete the folder when you are done.';
  output.result(
    { histories: { folder, count, encrypted: isEncrypted, complete: count < limit } },
    [
      `${counted(count, 'open workflow')} in ${folder}${count < limit ? '' : ', and maybe more: --limit'}.`,
      ...(count > 0 ? [payloads, `payouts replay ${shellWord(to)}`] : []),
    ].join('\n'),
  );
}

const queryRefused = (cause: unknown): Problem =>
  new Problem('usage', 'query-refused', 'Temporal refuses the query.', {
    hint: `--query takes what temporal workflow list takes, for example 'WorkflowType="payout"'.`,
    cause,
  });

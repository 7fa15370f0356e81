import { resolve } from 'node:path';
import { counted } from '../domain/display.ts';
import { Problem } from '../domain/problem.ts';
import { GRPC, grpcStatusOf } from '../platform/temporal/connection.ts';
import { pullHistories } from '../platform/temporal/replay.ts';
import { shellWord } from './output.ts';
import type { Session } from './session.ts';

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

import { BATCH_CANCELLED } from '../../activities/batch/cancel-rest.ts';
import { batchIdOf, unknownId } from '../../channels/find-target.ts';
import { MESSAGES } from '../../domain/names.ts';
import { acceptsControl, type BatchControl, CANCELLABLE_STATES } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { someAtOnce } from '../../domain/some-at-once.ts';
import { askAudited } from '../../people/decisions/audited-request.ts';
import { continuesStopped, updateBatch } from '../../platform/temporal/batch-executions.ts';
import { executionsOver } from '../../platform/temporal/executions.ts';
import { untilCarriedOut, untilTrue } from '../../platform/temporal/payout-updates.ts';
import { COMMAND_MS, inTime } from '../../platform/temporal/worker-answer.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findTarget } from '../find-target.ts';
import type { Session } from '../session.ts';
import { type Asker, holdKey, nameOf, personContinuing } from '../signer.ts';

/** `payouts pause|drain|resume ID`: stopping is anybody's, letting go on is not. */
export async function control(session: Session, update: string, id: string, asker: Asker): Promise<ExitCode> {
  await holdKey(session, asker.key);
  const target = await findTarget(session, id);
  const batchId = batchIdOf(target, id);
  if (session.gateway !== undefined) return controlBatch(session, batchId, update, asker.by);
  const batch = await (await session.store()).batch(batchId);
  if (batch === undefined) throw unknownId(batchId);
  const by = continuesStopped(update, batch) ? await personContinuing(session, asker, batch) : nameOf(asker.by);
  return controlBatch(session, batchId, update, by);
}

/** `by`: over HTTP whoever signs in, if it is absent. */
export async function controlBatch(
  session: Session,
  batchId: string,
  update: string,
  by: string | undefined,
): Promise<ExitCode> {
  const answer =
    session.gateway === undefined
      ? await controlHere(session, batchId, update, nameOf(by))
      : await session.gateway.post<{ control: BatchControl }>(
          `/v1/batches/${encodeURIComponent(batchId)}/${update}${by === undefined ? '' : `?by=${encodeURIComponent(by)}`}`,
          {},
        );
  session.output.result({ batchId, control: answer.control }, `Batch ${batchId} is ${answer.control}.`);
  return EXIT.completed;
}

async function controlHere(
  session: Session,
  batchId: string,
  update: string,
  by: string,
): Promise<{ control: BatchControl }> {
  const store = await session.store();
  const batch = await store.batch(batchId);
  if (batch === undefined) throw unknownId(batchId);
  // Whatever is carried out writes its own audit entry.
  const answer = await askAudited(
    { store, now: Date.now },
    { by, action: update, subject: batchId },
    async () => {
      if (!acceptsControl(batch, update)) {
        throw new Problem('conflict', 'batch-ended', `Batch ${batchId} has ended.`, {
          hint: `payouts report ${batchId} shows how.`,
        });
      }
      const client = await session.client();
      const controls = { store, settings: session.config.settings, client };
      return inTime(client, () => updateBatch(controls, batch, update, by), COMMAND_MS);
    },
    () => undefined,
  );
  // A stack booted by this command ends with it: first wait until the rows have been told of a cancel.
  if (update === MESSAGES.cancel && (await session.stack()).owner) await untilRowsHaveHeard(session, batchId);
  return answer;
}

/** Waits until the rows of a cancelled batch have ended or done what they can; the bank's decisions need no stack of ours. */
async function untilRowsHaveHeard(session: Session, batchId: string): Promise<void> {
  const store = await session.store();
  const client = await session.client();
  await untilTrue(async () => !(await store.stateCounts(batchId)).has('received'));
  const executions = executionsOver(client);
  // The batch tells them too; a row that is told twice acts once.
  await someAtOnce(await store.rowsIn(batchId, CANCELLABLE_STATES), AT_ONCE, async ({ workflowId }) => {
    await executions.cancelPayout(workflowId, BATCH_CANCELLED).catch(() => false);
    await untilCarriedOut(client, workflowId);
  });
}

const AT_ONCE = 10;

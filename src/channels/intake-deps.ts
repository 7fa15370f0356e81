import { looksAtLists } from '../activities/list-looks.ts';
import { personOf } from '../domain/authority.ts';
import { dueDate } from '../domain/time.ts';
import type { IntakeDeps } from '../files/intake/intake.ts';
import { type MessageFiles, messageContextOf } from '../files/intake/message-context.ts';
import { storeUseOf } from '../files/intake/store-use.ts';
import type { App } from '../platform/app.ts';
import type { Config } from '../platform/config.ts';
import { assertReachable } from '../platform/temporal/connection.ts';
import { startBatch } from '../platform/temporal/executions.ts';

/**
 * Dependencies of taking files, by the configuration. Made anew for each file: the files that complete bank messages may have
 * changed.
 */
export async function intakeDepsOf(
  config: Config,
  opened: Pick<IntakeDeps, 'store' | 'bank' | 'assertReady' | 'startBatch' | 'maker' | 'sign' | 'asksOne'>,
  files: MessageFiles = {},
): Promise<IntakeDeps> {
  const { store, bank } = opened;
  const looks = { store, bank, settings: config.settings, now: Date.now };
  return {
    ...opened,
    lists: { ...looks, lookAtList: looksAtLists(looks), begunAt: Date.now() },
    context: await messageContextOf(config, files, Date.now()),
    storeUse: () => storeUseOf(config, opened.store),
    lookAlikeDays: config.lookAlikeDays,
    bankAuditsFrom: config.bankAuditsFrom,
    dueDate: (executeOn, currency) => dueDate(executeOn, currency, config.settings.calendar),
    now: Date.now,
    approvalRules: config.settings.approvalRules,
    policy: config.settings.policy,
  };
}

/** @param maker who has proven to be the one who hands the files over */
export function openIntake({ config, stack, store, client, bank, log }: App, maker?: string): Promise<IntakeDeps> {
  const { policy } = config.settings;
  return intakeDepsOf(config, {
    store,
    maker,
    // Nobody signs at these doors, unless the command hands a file over with what its maker signed.
    asksOne: policy !== undefined && personOf(policy, maker ?? null)?.unsigned !== true,
    bank,
    async assertReady() {
      await assertReachable(client, stack);
      await bank.authenticate();
    },
    // The claim stands: a worker starts the batch when Temporal is back.
    startBatch: (batchId, file) =>
      startBatch(client, batchId, file).catch((error: unknown) => log.warn({ error, batchId }, 'batch not started')),
  });
}

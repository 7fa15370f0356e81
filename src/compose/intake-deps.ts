import type { Client } from '@temporalio/client';
import type { Bank } from '../api/bank.ts';
import type { Config } from '../config.ts';
import { dueDate } from '../domain/business-days.ts';
import type { StackAddresses } from '../embedded/stack.ts';
import type { FolderDeps } from '../folder/drop-folder.ts';
import type { IntakeDeps } from '../intake/intake.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import { startBatch } from '../temporal/executions.ts';
import { assertReachable } from '../temporal/reachable.ts';
import { type MessageFiles, messageContextOf } from './message-context.ts';
import { reportBatch } from './report-batch.ts';
import { temporalUi } from './temporal-ui.ts';

/** What a process works with: its store, bank and Temporal. */
export interface Opened {
  config: Config;
  stack: StackAddresses;
  store: Store;
  client: Client;
  bank: Bank;
  log: Log;
}

/**
 * What files are taken with, by the configuration. Made for each file: what completes bank messages may have changed since the last
 * one.
 */
export async function intakeDepsOf(
  config: Config,
  opened: Pick<IntakeDeps, 'store' | 'bank' | 'assertReady' | 'startBatch' | 'maker'>,
  files: MessageFiles = {},
): Promise<IntakeDeps> {
  return {
    ...opened,
    context: await messageContextOf(config, files, Date.now()),
    lookAlikeDays: config.lookAlikeDays,
    bankAuditsFrom: config.bankAuditsFrom,
    dueDate: (executeOn, currency) => dueDate(executeOn, currency, config.settings.calendar),
    now: Date.now,
    approvalRules: config.settings.approvalRules,
    policy: config.settings.policy,
  };
}

/** `maker`: who has proven to hand files over. */
export function openIntake({ config, stack, store, client, bank, log }: Opened, maker?: string): Promise<IntakeDeps> {
  return intakeDepsOf(config, {
    store,
    maker,
    bank,
    async assertReady() {
      await assertReachable(client, stack);
      await bank.authenticate();
    },
    // What is claimed is taken: a worker starts it when Temporal is there again.
    startBatch: (batchId, file) =>
      startBatch(client, batchId, file).catch((error: unknown) => log.warn({ error, batchId }, 'batch not started')),
  });
}

export function folderDeps(opened: Opened): FolderDeps {
  const { config, stack, store, log } = opened;
  const ui = temporalUi(config, stack);
  return {
    store,
    // Whoever can write to the namespace can ask for a sweep: who makes its files, the configuration says.
    intake: () => openIntake(opened, config.folderMaker),
    report: (batchId, at) => reportBatch(config, store, batchId, ui, at),
    failed: (error, { batchId }) => log.warn({ error, batchId }, 'file not taken, or not answered, yet'),
  };
}

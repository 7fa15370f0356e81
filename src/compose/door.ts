import type { Client } from '@temporalio/client';
import type { Bank } from '../api/bank.ts';
import type { Config } from '../config.ts';
import { dueDate } from '../domain/business-days.ts';
import type { FolderParts } from '../folder/drop-folder.ts';
import type { Door } from '../intake/intake.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { TemporalAddress } from '../temporal/connection.ts';
import { startBatch } from '../temporal/executions.ts';
import { assertReachable } from '../temporal/reachable.ts';
import { type ReportPlace, reportBatch } from './batch-report.ts';
import { type MessageFiles, messageContextOf } from './message-context.ts';
import type { UiPlace } from './ui-place.ts';

/** What the doors without a person are made of. */
export interface DoorPlace {
  config: Config;
  store: Store;
  client: Client;
  temporal: TemporalAddress;
  bank: Bank;
  ui: UiPlace;
  log: Log;
}

/** A door by the configuration. Made for each file: what completes bank messages may have changed since the last one. */
export async function doorOf(
  config: Config,
  files: MessageFiles,
  opened: Pick<Door, 'store' | 'bank' | 'assertReady' | 'startBatch'>,
): Promise<Door> {
  return {
    ...opened,
    context: await messageContextOf(config, files),
    lookAlikeDays: config.lookAlikeDays,
    dueDate: (executeOn, currency) => dueDate(executeOn, currency, config.settings.calendar),
    now: Date.now,
    approvalRules: config.settings.approvalRules,
  };
}

export function openDoor({ config, store, client, temporal, bank, log }: DoorPlace): Promise<Door> {
  return doorOf(
    config,
    {},
    {
      store,
      bank,
      async assertReady() {
        await assertReachable(client, temporal);
        await bank.authenticate();
      },
      // What is claimed is taken: a worker starts it when Temporal is there again.
      startBatch: (batchId, file) =>
        startBatch(client, batchId, file).catch((error: unknown) => log.warn({ error, batchId }, 'batch not started')),
    },
  );
}

export function folderParts(place: DoorPlace): FolderParts {
  const { config, store, ui, log } = place;
  return {
    store,
    door: () => openDoor(place),
    report: (batchId: string, at: ReportPlace) => reportBatch(config, store, batchId, ui, at),
    failed: (error, { batchId }) => log.warn({ error, batchId }, 'file not taken yet'),
  };
}

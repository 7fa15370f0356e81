import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Sweep, SweepOptions } from '../../domain/folder-sweep.ts';
import type { Problem } from '../../domain/problem.ts';
import { IntakeRefusal, OTHER_PLAN } from '../../files/intake/intake-refusal.ts';
import { isMakerUnknown, isOutsideScope } from '../../files/intake/maker.ts';
import { takeFile } from '../../files/intake/take-file.ts';
import type { App } from '../../platform/app.ts';
import { stageOf } from '../../reports/pain002/status-report.ts';
import { reportBatch } from '../../reports/report-batch.ts';
import { writeWhole } from '../../reports/write-reports.ts';
import type { BatchRecord } from '../../store/store.ts';
import { answeredStem, answerRefusal, answerStem, takenAt } from './answers.ts';
import { Incoming } from './incoming.ts';
import {
  type DropFolderPaths,
  isWrittenSince,
  moveInto,
  openDropFolder,
  takeIn,
  type WorkItem,
  waitFor,
  workItems,
} from './layout.ts';

/** Between two looks at a file that may still be being written. */
export const LOOK_EVERY_MS = 2_000;

/** How long a file that may be cut off is not refused: its writer may have paused for longer than between two looks. */
const CUT_OFF_PATIENCE_MS = 10_000;
const CUT_OFF: ReadonlySet<string> = new Set([
  ...['broken-quote', 'no-rows', 'not-a-workbook', 'not-json', 'not-well-formed', 'truncated-file'],
  ...['wrong-field-count', 'wrong-record-length'],
]);

/** State of a file after a pass; `gone`: another watcher has moved it. */
type Found = 'refused' | 'ended' | 'open' | 'gone';

/** Turns dropped files into batches and puts their reports into the folder. Its whole state is in the folder and the store. */
export class DropFolder {
  private readonly app: App;
  private readonly options: SweepOptions;
  private readonly paths: DropFolderPaths;
  private readonly incoming: Incoming;
  /** The state of each open batch for which its reports were last written. */
  private readonly reported = new Map<string, string>();
  /** For each ended batch: the time of the latest news that has been answered. */
  private readonly looked = new Map<string, number>();

  private constructor(app: App, options: SweepOptions, paths: DropFolderPaths) {
    this.app = app;
    this.options = options;
    this.paths = paths;
    this.incoming = new Incoming(paths.in);
  }

  static async open(app: App, options: SweepOptions): Promise<DropFolder> {
    return new DropFolder(app, options, await openDropFolder(options.dir));
  }

  /** One pass without earlier looks or later ones, so it looks twice itself, and refuses at once. */
  async sweepOnce(lookEveryMs: number): Promise<Sweep> {
    await this.incoming.whole();
    await pause(lookEveryMs);
    return this.sweep(0);
  }

  /** Takes the complete files, and continues with those under way. */
  async sweep(cutOffPatienceMs = CUT_OFF_PATIENCE_MS): Promise<Sweep> {
    const done: Sweep = { taken: 0, refused: 0, ended: 0, open: 0 };
    for (const name of await this.incoming.whole()) {
      if (!(await takeIn(this.paths, name))) continue;
      await this.incoming.taken(name);
      done.taken += 1;
    }
    await this.answerLater();
    const items = await workItems(this.paths);
    if (items.length === 0) return done;
    for (const item of items) {
      const found = await this.goOn(item, Date.now() - cutOffPatienceMs);
      if (found !== 'gone') done[found] += 1;
    }
    return done;
  }

  /** For answers that news has made outdated: writes another version, and the reports again. */
  private async answerLater(): Promise<void> {
    const { out } = this.paths;
    for (const { batchId, at } of await this.app.store.newsOfAnswered()) {
      if (this.looked.get(batchId) === at) continue;
      try {
        const batch = await this.app.store.batch(batchId);
        const stem = batch && (await answeredStem(out, batch));
        if (stem !== undefined) await reportBatch(this.app, batchId, { folder: out, answerStem: stem });
        this.looked.set(batchId, at);
      } catch (error) {
        this.failed(error, batchId);
      }
    }
  }

  /** `since`: a file taken later may still be being written. */
  private async goOn(item: WorkItem, since: number): Promise<Found> {
    try {
      const taken = (await this.app.store.batch(item.batchId)) ?? (await this.take(item));
      if (taken === undefined) return 'open';
      if (!(taken instanceof IntakeRefusal)) return await this.report(taken, item);
      if (isCutOff(taken) && takenAt(item.batchId) > since) return 'open';
      if (taken.code !== OTHER_PLAN) return this.refuse(item, taken);
      // Another run came in between: its rows are known in the next pass, and nobody here confirms plans.
      this.failed(taken, item.batchId);
    } catch (error) {
      if (isOutsideScope(error)) return this.refuse(item, error);
      if (isMakerUnknown(error)) throw error;
      this.failed(error, item.batchId);
    }
    return 'open';
  }

  /** The batch of a file; undefined if an earlier batch with its rows is still open: the file waits for that one. */
  private async take({ batchId, path }: WorkItem): Promise<BatchRecord | IntakeRefusal | undefined> {
    const { invalid, by } = this.options;
    // Anybody who can write to the namespace can request a sweep, so the maker comes from the configuration.
    const options = { invalid, by, batchId, maker: this.app.config.folderMaker };
    // No one is asked: whatever the folder's options allow is agreed to. People find the warnings beside the reports.
    const taking = await takeFile(this.app, path, options, async ({ staged }) => {
      const warnings = staged.warnings.list();
      const document = { schemaVersion: 1, batchId, file: basename(path), warnings };
      const beside = join(this.paths.out, `${batchId}.warnings.json`);
      if (warnings.length > 0) await writeWhole(beside, [`${JSON.stringify(document, null, 2)}\n`]);
    });
    if (taking instanceof IntakeRefusal) return taking;
    if (taking.outcome === 'claimed') return this.app.store.batch(taking.batchId);
    if (taking.outcome === 'under-way') await waitFor(this.paths, { batchId: taking.batchId, path });
    return undefined;
  }

  private async report(batch: BatchRecord, item: WorkItem): Promise<Found> {
    const { batchId, endedAt } = batch;
    const { out } = this.paths;
    const stands = endedAt === null ? stageOf(await this.app.store.stateCounts(batchId)) : 'ended';
    const place = { folder: out, answerStem: await answerStem(out, batchId, batch.message) };
    if (stands !== 'ended') {
      if (this.reported.get(batchId) !== stands) await reportBatch(this.app, batchId, place);
      this.reported.set(batchId, stands);
      return 'open';
    }
    const { schemaVersion, state, reports } = (await reportBatch(this.app, batchId, place)).head;
    if (await isWrittenSince(item.path, batch.sha256)) {
      // Rows that came later are in no batch: it is taken again, as another file.
      await waitFor(this.paths, { batchId: v7(), path: item.path });
      return 'open';
    }
    const document = { schemaVersion, batchId, state, reports };
    const moved = await moveInto(this.paths.done, item.path, { suffix: '.batch.json', document });
    this.reported.delete(batchId);
    return moved ? 'ended' : 'gone';
  }

  /** Of something that is tried again in the next pass. */
  private failed(error: unknown, batchId: string): void {
    this.app.log.warn({ error, batchId }, 'file not taken, or not answered, yet');
  }

  private async refuse(item: WorkItem, refusal: Problem): Promise<Found> {
    try {
      if (refusal instanceof IntakeRefusal) await answerRefusal(this.paths.out, item.batchId, refusal);
      const document = refusal.toDocument();
      return (await moveInto(this.paths.error, item.path, { suffix: '.error.json', document })) ? 'refused' : 'gone';
    } catch (error) {
      this.failed(error, item.batchId);
      return 'open';
    }
  }
}

const isCutOff = ({ findings }: IntakeRefusal): boolean => findings.some(({ rule }) => CUT_OFF.has(rule));

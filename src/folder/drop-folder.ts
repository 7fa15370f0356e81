import { setTimeout as pause } from 'node:timers/promises';
import type { BatchReport } from '../erp/report/batch-report.ts';
import { stageOf } from '../erp/report/pain002/stage.ts';
import { IntakeRefusal } from '../intake/intake-refusal.ts';
import { type Door, takeFile } from '../intake/take-file.ts';
import type { BatchRecord, Store } from '../store/store.ts';
import { answerRefusal, answerStem } from './answers.ts';
import { Incoming } from './incoming.ts';
import { type DropFolderPaths, moveInto, openDropFolder, takeIn, waitFor, type WorkItem, workItems } from './layout.ts';

/** What a drop folder works with. */
export interface FolderParts {
  store: Store;
  /** Opened for each pass: files that complete bank messages may have changed. */
  door(): Promise<Door>;
  /** Writes the reports of a batch as it stands. */
  report(batchId: string, place: { dir: string; answerStem?: string }): Promise<BatchReport>;
  /** Something that is tried again at the next pass. */
  failed(error: unknown, item: WorkItem): void;
}

/** Which folder, and how its files are taken. */
export interface FolderOrder {
  dir: string;
  invalid: 'stop' | 'skip';
  /** The maker. */
  by?: string;
}

/** What a pass found. */
export interface Sweep {
  /** Files that came in. */
  taken: number;
  refused: number;
  /** Files whose batch has ended. */
  ended: number;
  /** Files whose batch has not ended, or that wait for bank, Temporal or store. */
  open: number;
}

/** Between two looks at a file that may still be written. */
export const LOOK_EVERY_MS = 2_000;

/** Files dropped into a folder become batches, their reports come out of it. All that it remembers is in the folder and the store. */
export class DropFolder {
  private readonly parts: FolderParts;
  private readonly order: FolderOrder;
  private readonly paths: DropFolderPaths;
  private readonly incoming: Incoming;
  /** How each open batch stood when its reports were written. */
  private readonly reported = new Map<string, string>();

  private constructor(parts: FolderParts, order: FolderOrder, paths: DropFolderPaths) {
    this.parts = parts;
    this.order = order;
    this.paths = paths;
    this.incoming = new Incoming(paths.in);
  }

  static async open(parts: FolderParts, order: FolderOrder): Promise<DropFolder> {
    return new DropFolder(parts, order, await openDropFolder(order.dir));
  }

  /** One pass that knows no earlier look: it looks twice. */
  async sweepOnce(lookEveryMs: number): Promise<Sweep> {
    await this.incoming.whole();
    await pause(lookEveryMs);
    return this.sweep();
  }

  /** Takes the files that are whole, and goes on with those under way. */
  async sweep(): Promise<Sweep> {
    const done: Sweep = { taken: 0, refused: 0, ended: 0, open: 0 };
    for (const name of await this.incoming.whole()) {
      if (!(await takeIn(this.paths, name))) continue;
      await this.incoming.taken(name);
      done.taken += 1;
    }
    const items = await workItems(this.paths);
    if (items.length === 0) return done;
    const door = await this.parts.door();
    for (const item of items) done[await this.goOn(door, item)] += 1;
    return done;
  }

  private async goOn(door: Door, item: WorkItem): Promise<'refused' | 'ended' | 'open'> {
    try {
      const batch = (await this.parts.store.batch(item.batchId)) ?? (await this.take(door, item));
      if (batch === undefined) return 'open';
      return await this.report(batch, item);
    } catch (error) {
      if (error instanceof IntakeRefusal && error.kind === 'maker-unknown') throw error;
      if (error instanceof IntakeRefusal) return this.refuse(item, error);
      this.parts.failed(error, item);
      return 'open';
    }
  }

  /** The batch made of a file; undefined when an earlier one is under way with its rows: the file waits for that one. */
  private async take(door: Door, { batchId, path }: WorkItem): Promise<BatchRecord | undefined> {
    const { invalid, by } = this.order;
    const taking = await takeFile(door, path, { invalid, by, batchId });
    if (taking.outcome === 'claimed') return this.parts.store.batch(taking.batchId);
    if (taking.outcome === 'under-way') await waitFor(this.paths, { batchId: taking.batchId, path });
    return undefined;
  }

  private async report(batch: BatchRecord, item: WorkItem): Promise<'ended' | 'open'> {
    const { batchId, endedAt } = batch;
    const { out } = this.paths;
    const stands = endedAt === null ? stageOf(await this.parts.store.stateCounts(batchId)) : 'ended';
    const place = { dir: out, answerStem: await answerStem(out, batchId, batch.message) };
    if (stands !== 'ended') {
      if (this.reported.get(batchId) !== stands) await this.parts.report(batchId, place);
      this.reported.set(batchId, stands);
      return 'open';
    }
    const { schemaVersion, state, reports } = await this.parts.report(batchId, place);
    const document = { schemaVersion, batchId, state, reports };
    await moveInto(this.paths.done, item.path, { suffix: '.batch.json', document });
    this.reported.delete(batchId);
    return 'ended';
  }

  private async refuse(item: WorkItem, refusal: IntakeRefusal): Promise<'refused'> {
    await answerRefusal(this.paths.out, item.batchId, refusal);
    await moveInto(this.paths.error, item.path, { suffix: '.error.json', document: refusal.toDocument() });
    return 'refused';
  }
}

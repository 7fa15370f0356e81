import type { CodecSpace } from '../codec/codec-server.ts';
import type { BatchControl } from '../domain/payout-state.ts';
import type { Problem } from '../domain/problem.ts';
import type { IntakeDeps } from '../intake/intake.ts';
import type { IntakeRefusal } from '../intake/intake-refusal.ts';
import type { Log } from '../log.ts';
import type { ErpFormat } from '../reports/erp-formats.ts';
import type { ReportPaths } from '../reports/report-document.ts';
import type { NewestAnswer } from '../reports/status-report-files.ts';
import type { CardExecutions } from '../services/cards/take-payment.ts';
import type { BatchRecord, Store } from '../store/store.ts';
import type { ReadinessProbes } from '../telemetry/readiness.ts';
import type { EventQueue } from '../webhooks/event-queue.ts';
import type { TakeWebhook } from '../webhooks/receiver.ts';
import type { Access } from './callers.ts';
import type { PageDeps } from './pages/page-deps.ts';

/** What the gateway works with. */
export interface GatewayDeps {
  store: Store;
  /** Opened for each file: what completes bank messages may have changed. */
  intake(maker: string | undefined): Promise<IntakeDeps>;
  /** The refusal of a file, its answer written where it is owed one. */
  refused(refusal: IntakeRefusal): Promise<Problem>;
  /** The document of a batch as it stands, as JSON in pieces; no file is written. Throws for an unknown id. */
  document(batchId: string): AsyncIterable<string>;
  /** Writes the report files of a batch, and says where. Throws for an unknown id. */
  report(batchId: string, isMasked?: boolean): Promise<ReportPaths>;
  /** Writes a file for other software. Throws for an unknown id, and a `Problem` where there is nothing to answer or to advise. */
  erpFile(batchId: string, format: ErpFormat): Promise<ErpFile>;
  /** An update on the workflow of a batch, by its name (`src/domain/names.ts`). Throws when no worker answers soon. */
  control(batch: BatchRecord, update: string, by: string): Promise<{ control: BatchControl }>;
  /** Each rejects when its part cannot be worked with now. */
  ready: ReadinessProbes<'store' | 'temporal' | 'bank'>;
  /** Of what is up all the same. */
  warnings(): string[];
  cards: CardDeps;
  /** Taken before the answer, delivered after it. */
  webhooks: { take: TakeWebhook; queue: EventQueue };
  /** As it is now. */
  access(): Access;
  pages: PageDeps;
  /** Undefined: payloads in Temporal are clear. `origins`: of the Temporal Web UI. */
  codec: (CodecSpace & { origins: readonly string[] }) | undefined;
  /** Requests a minute that a caller has. */
  perMinute: number;
  /** Requests of a caller that are worked on at once. */
  atOnce: number;
  now(): number;
  /** Hears of every answer, for figures: its route as a template. */
  answered?(answer: { method: string; route: string; status: number; ms: number }): void;
  /** Folder of bodies on their way. */
  uploads: string;
  log: Log;
}

/** `unclear`: what may have moved otherwise than it says. `answer`: which one it is, of an answer. */
interface ErpFile {
  path: string;
  unclear: readonly unknown[];
  answer: Pick<NewestAnswer, 'messageId' | 'version' | 'supersedes'> | null;
}

/** What the routes of card payments work with. `id`: the merchant_request_id. */
export interface CardDeps extends CardExecutions {
  /** Hosts that cardholders may be sent back to, with the port where one is meant; undefined: this machine only. */
  returnHosts: readonly string[] | undefined;
  /** Origins that they may be sent back to as well: of the sandbox's own checkout page. */
  returnOrigins: readonly string[];
  /** Origins of pages that may show a client secret. */
  origins: readonly string[];
  /** False when no such workflow is open. */
  signal(id: string, name: string): Promise<boolean>;
  workflowUrl(workflowId: string): string;
}

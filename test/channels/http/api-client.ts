import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GenerateApiParams, generateApi } from 'swagger-typescript-api';
import { ROOT } from '../../docs/architecture/sources.ts';
import type { RunningGateway } from './running-gateway.ts';

/**
 * By swagger-typescript-api: it reads OpenAPI 3.1 and brings the compiler that it needs, where openapi-typescript and
 * @hey-api/openapi-ts call the one of the project, which no longer has their interface.
 */
export async function generated(more: Partial<GenerateApiParams>): Promise<string> {
  const input = join(ROOT, 'docs/openapi.json');
  const { files } = await generateApi({
    input,
    output: false,
    silent: true,
    enumStyle: 'union',
    ...more,
  } as GenerateApiParams);
  return files[0]?.fileContent ?? '';
}

/** An answer to a call by its operation id; what is not 2xx is thrown, with `status` and the problem as `error`. */
interface Called {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: documents are compared by what a test expects of them
  data: any;
  /** Of an answer that is no JSON. */
  text(): Promise<string>;
}

/** Of the calls, those that tests make. */
type Name =
  | 'exportDiscrepancies'
  | 'getInbox'
  | 'getPayout'
  | 'getPayoutTotals'
  | 'listBatches'
  | 'listBatchPayouts'
  | 'listDiscrepancies'
  | 'listIncidents'
  | 'listPayouts'
  | 'listStatements'
  | 'submitBatch'
  | 'submitPayout';

type Api = Readonly<Record<Name, (...args: unknown[]) => Promise<Called>>>;

let module: Promise<{ Api: new (config: object) => { v1: Api } }> | undefined;

/** The client that is generated from the OpenAPI document: its calls by operation id. It is made once in a process. */
export async function apiOf({ url }: Pick<RunningGateway, 'url'>, token?: () => string): Promise<Api> {
  module ??= madeModule();
  const { Api: Client } = await module;
  const securityWorker = () => (token === undefined ? {} : { headers: { authorization: `Bearer ${token()}` } });
  return new Client({ baseUrl: url, securityWorker, baseApiParams: { secure: true } }).v1;
}

async function madeModule() {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-client-'));
  const file = join(folder, 'client.ts');
  writeFileSync(file, await generated({ generateClient: true }));
  try {
    return await import(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

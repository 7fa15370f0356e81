import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import * as contentDisposition from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { validate as isUuid } from 'uuid';
import { z } from 'zod';
import { EXCHANGES } from '../../domain/agreed-cost.ts';
import { isDecision, type SignedDecision } from '../../domain/authority.ts';
import type { Finding } from '../../domain/finding.ts';
import { withoutUnseen } from '../../domain/plain-text.ts';
import { Problem } from '../../domain/problem.ts';
import { FILE_BYTES_MAX, ROWS_MAX } from '../../files/input.ts';
import { validateFile } from '../../files/intake/check.ts';
import { ACCOUNTS_MAX, type QuotedExchange, quotedExchange } from '../../files/intake/exchange-quotes.ts';
import { IntakeRefusal, OTHER_PLAN } from '../../files/intake/intake-refusal.ts';
import { assertPlan, type PlannedRow, plannedRows, takeFile } from '../../files/intake/take-file.ts';
import { FILE_NAMES } from '../../files/read-file.ts';
import { STATEMENT_NAMES } from '../../files/statements/read-statement.ts';
import { batchDocument } from '../../reports/report-document.ts';
import { takeStatements } from '../../reports/statements/take-statement.ts';
import { answeredRefusal } from '../../reports/status-report-files.ts';
import { unknownId } from '../find-target.ts';
import { type AboutRequest, aboutRequest, answerOf } from './answer-error.ts';
import { documentInPieces } from './batch-routes.ts';
import { assertFileName, jsonOf, receive, smallBody, tooLarge, UPLOAD_TYPES, type Upload } from './bodies.ts';
import { type Caller, makerOf } from './callers.ts';
import {
  answerSchemas,
  errorAnswers,
  idempotencyHeader,
  instructionDocument,
  JSON_TYPE,
  jsonSchema,
  PROBLEM_TYPE,
  parsed,
  planDocument,
  storableText,
} from './documents.ts';
import { type Gateway, uploadsOf } from './gateway-app.ts';
import { answerOnce, idempotencyKeyOf, type MadeAnswer } from './idempotency.ts';
import { batchSigned, signedIntake, takeInTurn, untilAsked } from './intake-turns.ts';
import { OPERATING } from './may-see.ts';
import { placeOf } from './operation.ts';
import { PAYOUT } from './operations/state-operations.ts';
import { maySeeBooks } from './operations/statement-operations.ts';
import { accessOf } from './route-access.ts';
import { type Words, wordsFor } from './words.ts';

const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
  error: 'must be true or false',
});

/** The options of `payouts run`. Unknown ones are refused: a misspelled `dry_run` would pay. */
const handOverQuery = z.strictObject({
  file: z.string().optional().describe('name of the file; otherwise that in Content-Disposition'),
  invalid: z
    .enum(['stop', 'skip'])
    .default('stop')
    .describe('stop: any finding stops the file; skip: the other rows are paid'),
  dry_run: flag.optional().describe('answer with the plan; nothing is claimed'),
  check: flag.optional().describe('answer with findings; nothing is planned or claimed'),
  rows: flag.optional().describe('with dry_run: also the rows, to sign them'),
  plan: z.string().optional().describe('hash of the confirmed plan; a different plan is refused'),
  canary: z.coerce
    .number()
    .int()
    .min(1)
    .max(ROWS_MAX)
    .optional()
    .describe('rows paid first, the rest once they are completed'),
  exchange: z.enum(EXCHANGES).optional().describe('per-batch: one exchange for each account, currency and day'),
  allow_look_alikes: flag.optional().describe('do not hold rows that look like a recent payout'),
  attended: flag.optional().describe('rows that wait for an operator count as in progress'),
  by: storableText.optional(),
});

const quoteList = z.array(quotedExchange).max(ACCOUNTS_MAX);

type HandOver = z.output<typeof handOverQuery>;

const TAGS = ['batches'];

/** `POST /v1/batches`: the body is the file itself. */
export function intakeRoutes(app: FastifyInstance, gateway: Gateway): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
  const schema = {
    operationId: 'submitBatch',
    tags: TAGS,
    summary: 'Submit a file of payouts',
    description:
      `The body is the file itself: ${FILE_NAMES}. ` +
      'The same rows are never paid twice: 200 while the batch that took them is open, 409 afterwards.',
    consumes: Object.keys(UPLOAD_TYPES),
    querystring: jsonSchema(handOverQuery),
    headers: jsonSchema(idempotencyHeader),
    body: { type: 'string', format: 'binary' },
    response: answerSchemas({
      200: [z.union([planDocument, batchDocument]), 'the plan of a dry run, or the open batch that has these rows'],
      202: [batchDocument, 'claimed and started'],
      ...errorAnswers(409, 413, 415, 422, 502, 503),
    }),
  };
  const access = accessOf({ roles: ['maker'], scope: 'each' });
  app.post('/v1/batches', { schema, ...access }, async (request, reply) => {
    const options = parsed(handOverQuery, request.query);
    const by = makerOf(request.caller, options.by);
    const key = idempotencyKeyOf(request);
    await using upload = await received(request, uploadsOf(gateway.config), options.file);
    if (options.check === true) {
      const checked = await takeInTurn(gateway, request.caller, () => validateFile(gateway, upload.path));
      if (checked instanceof IntakeRefusal) throw checked;
      return { schemaVersion: 1, ...inWords(checked, wordsFor(request)) };
    }
    const made = await takenOnce(gateway, request, upload, { ...options, by, key }, (batchId) =>
      documentInPieces(gateway, batchId),
    );
    return sent(reply, made, made.batchId && `/v1/batches/${made.batchId}`);
  });
}

/** Sends an answer, with the address of what was claimed. */
function sent(reply: FastifyReply, { status, isReplay, body }: MadeAnswer, location: string | undefined): FastifyReply {
  if (isReplay) reply.header('idempotency-replayed', 'true');
  if (status === 202 && location !== undefined) reply.header('location', location);
  return reply
    .code(status)
    .type(status >= 400 ? PROBLEM_TYPE : JSON_TYPE)
    .send(Readable.from(body));
}

/** The document about the rows, which the batch has. */
type DocumentOf = (batchId: string) => MadeAnswer['body'] | Promise<MadeAnswer['body']>;

/** Takes an upload; once, if the request has a key. Throws a `Problem` for a request with both a key and a signature. */
async function takenOnce(
  gateway: Gateway,
  request: FastifyRequest,
  upload: Upload,
  { key, ...options }: HandOver & { key: string | undefined },
  documentOf: DocumentOf,
): Promise<MadeAnswer> {
  const { caller } = request;
  const signed = signedOf(request);
  if (signed !== undefined && key !== undefined) {
    throw new Problem('usage', 'usage', 'What is signed is known by the id of its batch.', {
      hint: 'Omit the Idempotency-Key.',
    });
  }
  const handedWith = { caller, signed, quotes: quotesOf(request), about: aboutRequest(request), documentOf };
  const handOver = (batchId?: string) => handedOver(gateway, upload, { ...options, ...handedWith }, batchId);
  if (key === undefined) return handOver();
  return answerOnce(
    gateway.store,
    { caller: caller.name ?? '', key, requestSha256: digestOf(request, upload) },
    handOver,
  );
}

interface HandedWith {
  caller: Caller;
  signed: SignedDecision | undefined;
  quotes: QuotedExchange[];
  about: AboutRequest;
  documentOf: DocumentOf;
}

/**
 * A verdict on the file is an answer; anything else, such as another plan than before, is thrown and may be tried again. The
 * document of a large batch is streamed from its report file and never completely in memory.
 */
async function handedOver(
  gateway: Gateway,
  { path }: Upload,
  { caller, signed, quotes, about, documentOf, ...options }: HandOver & HandedWith,
  keyedId: string | undefined,
): Promise<MadeAnswer> {
  const {
    invalid,
    plan,
    canary,
    exchange,
    by,
    dry_run: dryRun,
    allow_look_alikes: allowLookAlikes,
    attended: isAttended,
  } = options;
  const batchId = signed === undefined ? keyedId : await batchSigned(gateway, caller, signed);
  let rows: PlannedRow[] | undefined;
  const asked = { invalid, canary, exchange, by, dryRun, allowLookAlikes, batchId, isAttended };
  const taking = await takeInTurn(gateway, caller, (handedBy) =>
    takeFile(
      gateway,
      path,
      { ...asked, ...handedBy, ...signedIntake(options.rows === true, signed, quotes) },
      (planned) => {
        assertPlan(planned.plan, plan);
        if (options.rows === true) rows = plannedRows(planned);
      },
    ),
  );
  if (taking instanceof IntakeRefusal) {
    if (taking.code === OTHER_PLAN) throw taking;
    const refusal = await answeredRefusal(gateway.config, taking, gateway.now());
    const pain002 = refusal.reports?.pain002;
    const { status, document } = answerOf(refusal, about);
    if (pain002 !== undefined) document.pain002 = await readFile(pain002, 'utf8');
    return { status, body: [JSON.stringify(document)] };
  }
  if (taking.outcome === 'planned') {
    return { status: 200, body: [JSON.stringify({ ...inWords(taking.document, about.words), rows })] };
  }
  const { batchId: taken } = taking;
  if (taking.outcome === 'claimed') await untilAsked(gateway, taken);
  return { status: taking.outcome === 'claimed' ? 202 : 200, batchId: taken, body: await documentOf(taken) };
}

/** What is said of rows names commands and settings. */
function inWords<Document extends { findings: readonly Finding[]; warnings: readonly Finding[] }>(
  document: Document,
  words: Words,
): Document {
  return { ...document, findings: said(document.findings, words), warnings: said(document.warnings, words) };
}

const said = (findings: readonly Finding[], words: Words): Finding[] =>
  findings.map((it) => ({ ...it, message: words(it.message) }));

/** What the maker has signed, in the header `payouts-signed`. Throws a `Problem` if it is nothing of the kind. */
function signedOf({ headers }: FastifyRequest): SignedDecision | undefined {
  const given = headers['payouts-signed'];
  if (given === undefined) return undefined;
  const signed = jsonIn(Buffer.from(String(given), 'base64url').toString());
  if (isDecision(signed) && signed.question === 'make' && isUuid(signed.reference)) return signed;
  throw new Problem('usage', 'usage', 'The header payouts-signed is not what a maker signs.', {
    hint: 'Send the base64url of a statement with the question "make" and a UUID as its reference; docs/production.md says how it is signed.',
  });
}

/** The quotes of the plan that the maker has signed, in the header `payouts-quotes`. Throws a `Problem` if they are nothing of the kind. */
function quotesOf({ headers }: FastifyRequest): QuotedExchange[] {
  const given = headers['payouts-quotes'];
  return given === undefined ? [] : parsed(quoteList, jsonIn(Buffer.from(String(given), 'base64url').toString()));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function received(request: FastifyRequest, folder: string, file: string | undefined): Promise<Upload> {
  const { headers } = request;
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const extension = UPLOAD_TYPES[type];
  const encoding = headers['content-encoding'] ?? 'identity';
  if (extension === undefined || encoding !== 'identity' || request.body === undefined) {
    throw new Problem('unsupported-media', 'media-type-unsupported', 'The Content-Type is none that a file may have.', {
      hint: `Send the file itself, with Content-Type ${Object.keys(UPLOAD_TYPES).join(', ')}, and without Content-Encoding.`,
    });
  }
  const name = file ?? contentDisposition.parse(headers['content-disposition'] ?? '').parameters.filename;
  if (name !== undefined) assertFileName(name);
  if (Number(headers['content-length'] ?? 0) > FILE_BYTES_MAX) throw tooLarge();
  return receive(request.body as Readable, folder, { name, extension });
}

/** Everything that distinguishes requests: route, options, file name and bytes. */
function digestOf({ query, headers, routeOptions }: FastifyRequest, { sha256 }: Upload): string {
  const options = Object.entries(query as Record<string, unknown>).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [
    routeOptions.url,
    options,
    headers['content-disposition'] ?? null,
    headers['content-type'] ?? null,
    sha256,
  ];
  return hash('sha256', JSON.stringify(parts));
}

const query = z.strictObject({
  file: z.string().optional().describe('name of the file; otherwise that in Content-Disposition'),
  by: storableText.optional(),
});

const taking = z.looseObject({ file: z.string(), statements: z.array(z.looseObject({ outcome: z.string() })) });

/** `POST /v1/statements`: the body is the file itself. */
export function statementRoutes(app: FastifyInstance, gateway: Gateway): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
  const schema = {
    operationId: 'takeStatement',
    tags: ['statements'],
    summary: 'Submit a bank statement',
    description:
      `The body is the file itself: ${STATEMENT_NAMES}. Each statement in it is taken once, however often it comes, or ` +
      'refused with its findings.',
    consumes: ['application/xml', 'application/octet-stream'],
    querystring: jsonSchema(query),
    body: { type: 'string', format: 'binary' },
    response: answerSchemas({ 200: [taking, 'what became of each statement'], ...errorAnswers(413, 415, 422, 503) }),
  };
  app.post('/v1/statements', { schema, ...accessOf(OPERATING) }, async (request) => {
    const { file, by: given } = parsed(query, request.query);
    const { caller } = request;
    const by = makerOf(caller, given);
    await using upload = await received(request, uploadsOf(gateway.config), file);
    const taken = await takeInTurn(gateway, caller, () =>
      takeStatements(gateway, upload.path, { by, mayTake: (account) => maySeeBooks(caller, account) }),
    );
    const words = wordsFor(request);
    const statements = taken.statements.map((it) => ({ ...it, findings: said(it.findings, words) }));
    return { schemaVersion: 1, ...taken, statements };
  });
}

const payoutQuery = handOverQuery.pick({
  dry_run: true,
  rows: true,
  plan: true,
  allow_look_alikes: true,
  by: true,
});

/** The name in findings and lists: there is no file. */
const FILE = 'payout.json';

/** One that waits for an operator is shown as well: there is one. */
const ALWAYS = { invalid: 'stop', attended: true } as const;

interface OnePayout {
  /** As sent: what a number was written as is gone once it is read. */
  text: string;
  members: Record<string, unknown>;
}

/** `POST /v1/payouts`: one payout without a file. It is a batch of one row, taken in the same way. */
export function payoutIntakeRoute(app: FastifyInstance, gateway: Gateway): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (_request: FastifyRequest, body: Readable) =>
    onePayout(await smallBody(body)),
  );
  const schema = {
    operationId: 'submitPayout',
    tags: ['payouts'],
    summary: 'Submit one payout, without a file',
    description: 'Like a file of one row; a finding names the member in `column`.',
    querystring: jsonSchema(payoutQuery),
    headers: jsonSchema(idempotencyHeader),
    body: jsonSchema(instructionDocument),
    response: answerSchemas({
      200: [z.union([planDocument, PAYOUT.answer]), 'the plan of a dry run, or the payout that there is'],
      202: [PAYOUT.answer, 'claimed and started'],
      ...errorAnswers(408, 409, 413, 415, 422, 502, 503),
    }),
  };
  const access = accessOf({ roles: ['maker'], scope: 'each' });
  app.post('/v1/payouts', { schema, ...access }, async (request, reply) => {
    const options = parsed(payoutQuery, request.query);
    const by = makerOf(request.caller, options.by);
    const key = idempotencyKeyOf(request);
    const { text, members } = request.body as OnePayout;
    const body = Readable.from([Buffer.from(`[${text}]`)]);
    await using upload = await receive(body, uploadsOf(gateway.config), { name: FILE, extension: '' });
    const place = placeOf(gateway, request.caller, wordsFor(request));
    const made = await takenOnce(gateway, request, upload, { ...options, ...ALWAYS, by, key }, async (batchId) => {
      const reference = await referenceIn(gateway, batchId, members);
      return [JSON.stringify({ schemaVersion: 1, ...(await PAYOUT.run(place, { reference })) })];
    });
    const isClaimed = made.status === 202 && made.batchId !== undefined;
    return sent(
      reply,
      made,
      isClaimed ? `/v1/payouts/${await referenceIn(gateway, made.batchId ?? '', members)}` : undefined,
    );
  });
}

/** Throws a `Problem` for anything but one object. */
function onePayout(bytes: Buffer): OnePayout {
  const text = bytes.toString();
  const members = jsonOf(bytes);
  if (typeof members === 'object' && members !== null && !Array.isArray(members)) {
    return { text, members: members as OnePayout['members'] };
  }
  throw new Problem('usage', 'json-refused', 'The body is not one payout.', {
    hint: 'Send one object; POST /v1/batches takes several.',
  });
}

/** Another batch may have the row among others, and of a document that was paid again each batch has its own reference. */
async function referenceIn({ store }: Gateway, batchId: string, { uid, id }: OnePayout['members']): Promise<string> {
  const [asUid, documentId] = [uid, id].map((value) => withoutUnseen(String(value)));
  const [row] = await store.searchPayouts({ batchId, uid: asUid, documentId }, { limit: 1 });
  if (row === undefined) throw unknownId(String(id));
  return row.reference;
}

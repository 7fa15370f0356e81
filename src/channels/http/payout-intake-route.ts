import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { withoutUnseen } from '../../domain/plain-text.ts';
import { Problem } from '../../domain/problem.ts';
import { unknownId } from '../find-target.ts';
import { jsonOf, receive, smallBody } from './bodies.ts';
import { makerOf } from './callers.ts';
import {
  answerSchemas,
  errorAnswers,
  idempotencyHeader,
  instructionDocument,
  jsonSchema,
  parsed,
  planDocument,
} from './documents.ts';
import { type Gateway, uploadsOf } from './gateway-app.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { handOverQuery, sent, takenOnce } from './intake-routes.ts';
import { placeOf } from './operation.ts';
import { PAYOUT } from './operations/state-operations.ts';
import { accessOf } from './route-access.ts';
import { wordsFor } from './words.ts';

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

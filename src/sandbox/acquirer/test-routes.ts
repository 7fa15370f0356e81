import { z } from 'zod';
import { formatMinor } from '../../domain/money.ts';
import type { Routes } from '../http/routes.ts';
import type { TestRoute } from '../http/test-routes.ts';
import { afterQuery, badRequest, newId, read } from '../requests.ts';
import type { Sandbox } from '../sandbox.ts';
import { countsOfDeliveries, deliveriesAfter, insertDelivery } from './deliveries.ts';
import { endpointBody, endpointOf, saveEndpoint, withoutSecret } from './endpoint.ts';
import { bodyOf, EVENT_TYPES } from './events.ts';
import { allCardPayments } from './payment-row.ts';
import { allSessions } from './payments.ts';
import { TEST_CARDS, TEST_CARDS_NOTE } from './scenarios.ts';

/**
 * Test-only routes of the acquirer, like those of `http/test-routes.ts`.
 *
 * | method and path | body | answer |
 * |---|---|---|
 * | GET /__sandbox/cards | | `{note, cards: [{scenario, number, says}]}` |
 * | GET /__sandbox/card-payments | | `{payments, sessions}`, all of them, oldest first |
 * | PUT /__sandbox/webhooks | see `endpoint.ts` | the endpoint without its secret |
 * | GET /__sandbox/webhooks?after=SEQ | | `{endpoint, counts, deliveries}`: at most 1000 deliveries after that number |
 * | POST /__sandbox/webhooks/send | `{payment_id, payment_status?, type?, merchant_request_id?, reference_id?, amount?, currency?, event_id?, forged?}` | `{event_id}` |
 */
export const ACQUIRER_TEST_ROUTES: Routes<TestRoute> = {
  'GET /__sandbox/cards': () => ({ note: TEST_CARDS_NOTE, cards: TEST_CARDS }),
  'GET /__sandbox/card-payments': showCardPayments,
  'PUT /__sandbox/webhooks': ({ books, webhooks }, { body }) => {
    const endpoint = read(endpointBody, body);
    saveEndpoint(books.db, endpoint);
    webhooks.wake();
    return withoutSecret(endpoint);
  },
  'GET /__sandbox/webhooks': (sandbox, { query }) => showWebhooks(sandbox, read(afterQuery, query).after),
  'POST /__sandbox/webhooks/send': (sandbox, { body }) => sendOwn(sandbox, body),
};

const word = z.string().min(1).max(64);
const sendBody = z.strictObject({
  payment_id: word,
  /** Any text. */
  payment_status: word.optional(),
  /** Absent: the one for the status. */
  type: word.optional(),
  merchant_request_id: word.optional(),
  reference_id: word.optional(),
  amount: word.optional(),
  currency: word.optional(),
  /** The id of an earlier event; absent: a new one. */
  event_id: word.optional(),
  /** Sign with a key other than the endpoint's. */
  forged: z.boolean().default(false),
});

function showCardPayments({ books }: Sandbox): unknown {
  const { db } = books;
  return {
    payments: allCardPayments(db).map(({ verify_token: _, amount, created_at, updated_at, due_at, ...row }) => ({
      ...row,
      amount: formatMinor(amount, row.currency),
      created_at: Number(created_at),
      updated_at: Number(updated_at),
      due_at: due_at === null ? null : Number(due_at),
    })),
    sessions: allSessions(db).map(({ amount, created_at, fingerprinted_at, ...row }) => ({
      ...row,
      amount: formatMinor(amount, row.currency),
      created_at: Number(created_at),
      fingerprinted_at: fingerprinted_at === null ? null : Number(fingerprinted_at),
    })),
  };
}

function showWebhooks({ books }: Sandbox, after: number): unknown {
  const endpoint = endpointOf(books.db);
  return {
    endpoint: endpoint === undefined ? null : withoutSecret(endpoint),
    counts: countsOfDeliveries(books.db),
    deliveries: deliveriesAfter(books.db, after).map((row) => ({
      ...row,
      seq: Number(row.seq),
      body: JSON.parse(row.body),
      forged: row.forged === 1n,
      attempts: Number(row.attempts),
      last_http_status: row.last_http_status === null ? null : Number(row.last_http_status),
      created_at: Number(row.created_at),
      due_at: row.due_at === null ? null : Number(row.due_at),
    })),
  };
}

/** Sends an event made up by the tester, whatever the endpoint's settings for duplicates and order. */
function sendOwn({ books, webhooks }: Sandbox, body: unknown): unknown {
  if (endpointOf(books.db) === undefined) throw badRequest('no endpoint is set: PUT /__sandbox/webhooks');
  const { event_id = newId('evt'), forged, type, ...data } = read(sendBody, body);
  const { completion, ...byStatus } = EVENT_TYPES;
  const fitting = (byStatus as Readonly<Record<string, string>>)[data.payment_status ?? ''] ?? completion;
  const at = books.now();
  insertDelivery(books.db, {
    event_id,
    payment_id: data.payment_id,
    body: bodyOf(type ?? fitting, at, data),
    forged: forged ? 1 : 0,
    created_at: at,
    due_at: at,
  });
  webhooks.wake();
  return { event_id };
}

import { z } from 'zod';
import { iso } from '../domain/display.ts';
import { PAYOUT_KINDS } from '../domain/names.ts';
import { shownStateOf } from '../domain/returned.ts';
import type { PayoutRecord, SendAttempt } from '../store/store.ts';
import type { NextStep } from './next-step.ts';
import { payoutState, reasonDocument } from './report-document.ts';
import type { StoryEvent } from './story.ts';

/** Documents about payouts wherever they come from: `list --json`, and `/v1/payouts`. */

const decimal = z.string();
const instant = z.iso.datetime();

/** A payout in a list. */
export const listedPayout = z
  .object({
    batchId: z.string().nullable().describe('null: handed over without a batch'),
    row: z.int().nullable().describe('data row of the file, from 1'),
    kind: z.enum(PAYOUT_KINDS),
    uid: z.string(),
    id: z.string().describe('document number; with uid one payout for ever'),
    reference: z.string(),
    accountId: z.string().describe('paying account'),
    executeOn: z.string().nullable(),
    amount: decimal,
    currency: z.string(),
    fee: decimal.nullable().describe('once it is booked'),
    feeCurrency: z.string().nullable(),
    state: payoutState,
    reason: reasonDocument.nullable(),
    orderId: z.string().nullable(),
    createdAt: instant,
    since: instant.describe('of its state'),
  })
  .meta({
    id: 'Payout',
    examples: [
      {
        batchId: '0199c5a0-9c1e-7a54-8a3e-6f0f6d1f2a11',
        row: 1,
        kind: 'payout',
        uid: 'u-1001',
        id: 'INV-2041',
        reference: '0d8f3c4e-7a0b-5d0e-9f51-0b6a4b0c7a10',
        accountId: 'acc-u1001-usd',
        executeOn: null,
        amount: '1250.00',
        currency: 'USD',
        fee: null,
        feeCurrency: null,
        state: 'awaiting-approval',
        reason: { message: 'the policy asks for an approval', code: 'approval-required' },
        orderId: null,
        createdAt: '2026-11-28T09:30:00.000Z',
        since: '2026-11-28T09:30:02.000Z',
      },
    ],
  });

export type ListedPayout = z.output<typeof listedPayout>;

export function listedPayoutOf(row: PayoutRecord): ListedPayout {
  const { batchId, kind, uid, documentId: id, reference, fee, feeCurrency, instruction } = row;
  const { account_id: accountId, execute_on: executeOn = null, amount, currency } = instruction;
  const { orderId, createdAt } = row;
  const { state, reason, since } = shownStateOf(row);
  return {
    ...{ batchId, row: row.row, kind, uid, id, reference, accountId, executeOn, amount, currency, fee, feeCurrency },
    ...{ state, reason, orderId, createdAt: iso(createdAt), since: iso(since) },
  };
}

export const nextStepDocument = z
  .object({
    kind: z.string().describe('reason code or, without one, the state'),
    why: z.string(),
    who: z.string().describe('who may act'),
    todo: z.string(),
    requests: z.array(z.string()).describe('which do it; fill in words in capitals'),
    byItself: z.string().describe('what happens if nobody acts'),
    since: instant,
    until: instant.nullable(),
    arrives: z.string().nullable().describe('when it is expected to be paid'),
  })
  .meta({ id: 'NextStep' });

/** @param words in which what to do is said */
export const nextStepOf = (
  { kind, why, who, todo, commands, byItself, since, until, arrives }: NextStep,
  words: (text: string) => string,
): z.output<typeof nextStepDocument> => ({
  ...{ kind, why, who, todo: words(todo), requests: commands.map(words), byItself: words(byItself) },
  ...{ since: iso(since), until: until === null ? null : iso(until), arrives: arrives ?? null },
});

export const orderDocument = z
  .object({
    kind: z.enum(['payment', 'exchange', 'transfer']),
    attempt: z.int(),
    sentAt: instant,
    outcome: z.string().nullable().describe('null: no answer yet'),
    orderId: z.string().nullable(),
  })
  .meta({ id: 'SentOrder', description: 'one POST to the bank under a reference' });

export const orderOf = (
  kind: z.output<typeof orderDocument>['kind'],
  { attempt, sentAt, outcome, orderId }: SendAttempt,
): z.output<typeof orderDocument> => ({ kind, attempt, sentAt: iso(sentAt), outcome, orderId });

export const eventDocument = z
  .object({ at: instant, who: z.string(), what: z.string(), detail: z.string().nullable() })
  .meta({ id: 'PayoutEvent' });

export const eventOf = ({ at, who, what, detail }: StoryEvent): z.output<typeof eventDocument> => ({
  at: iso(at),
  who,
  what: what.replace(/^[:,\s]+/, ''),
  detail: detail === undefined || detail === '' ? null : detail,
});

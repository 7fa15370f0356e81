import { z } from 'zod';
import { visible } from '../../domain/finding.ts';
import { didYouMean } from '../../domain/nearest.ts';
import { Problem } from '../../domain/problem.ts';
import { REASONS } from '../../domain/reasons.ts';
import { INCIDENTS as INCIDENT_KINDS } from '../../domain/reconciliation.ts';
import type { PlanDocument } from '../../files/intake/take-file.ts';
import { RULES } from '../../files/rules/rules.ts';
import { maskedPayee } from '../../reports/masked.ts';
import { listedPayoutOf, nextStepOf } from '../../reports/payout-document.ts';
import { meaningOf, STATES } from '../../reports/state-texts.ts';
import type { GatewayClient } from '../http/gateway-client.ts';
import { linesOf, type OperationHere, pathId } from '../http/operation.ts';
import { AUDIT_ENTRIES } from '../http/operations/audit-operations.ts';
import { ACCOUNTS, BANK_ORDERS, BENEFICIARIES, OFFER } from '../http/operations/bank-operations.ts';
import { CARD, CARDS } from '../http/operations/card-operations.ts';
import { CASH } from '../http/operations/cash-operations.ts';
import { EVENTS, SUBSCRIPTIONS } from '../http/operations/event-operations.ts';
import { INBOX, INCIDENT, INCIDENTS } from '../http/operations/inbox-operations.ts';
import { BATCH_PAYOUTS, BATCHES, HINDRANCES, PAYOUTS, TOTALS } from '../http/operations/list-operations.ts';
import { PLAN_MOVE } from '../http/operations/move-operations.ts';
import { APPROVALS, MYSELF } from '../http/operations/people-operations.ts';
import { PLAN } from '../http/operations/plan-operations.ts';
import { REPORT } from '../http/operations/report-operations.ts';
import { PAYOUT, PAYOUT_VIEW, SUMMARY } from '../http/operations/state-operations.ts';
import { DISCREPANCIES, STATEMENTS } from '../http/operations/statement-operations.ts';
import { SWITCHES } from '../http/operations/switch-operations.ts';
import { overHttp } from '../http/words.ts';

/** Where a tool is carried out: by requests to the API, as whoever their token belongs to. */
export interface ToolPlace {
  api: GatewayClient;
  /** Address of the pages. */
  pages: string;
}

/** Of a list that an answer is read from in pieces, only what is asked for. */
interface Part {
  skip: number;
  limit: number;
}

export interface Tool {
  name: string;
  description: string;
  input: z.ZodObject;
  /** It answers with a proposal, which changes nothing. */
  proposes?: true;
  /** Lists at the top of the answer may be longer than one answer holds. */
  run(place: ToolPlace, input: Record<string, unknown>, part: Part): Promise<object>;
}

/** Entries of one page. */
const PAGE_MAX = 50;
const PAGE = 20;

const asked = <Input extends z.ZodObject, Answer extends object>(
  api: GatewayClient,
  it: OperationHere<Input, Answer>,
  input: z.output<Input>,
): Promise<Answer> => api.carryOut(it, input);

/** A tool that is one request which reads. `show`: without what an agent has no use for, and masked. */
function reads<Input extends z.ZodObject, Answer extends object>(
  name: string,
  it: OperationHere<Input, Answer>,
  { description = it.summary, show }: { description?: string; show?: (answer: Answer) => object } = {},
): Tool {
  if (it.method !== 'GET') throw new Error(`${name} does not only read`);
  const { limit, ...shape } = it.input.shape;
  const page = z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE);
  return {
    name,
    description,
    input: z.strictObject({ ...shape, ...(limit !== undefined && { limit: page }) }),
    async run({ api }, input) {
      const answer = await asked(api, it, input as z.output<Input>);
      return show === undefined ? answer : show(answer);
    },
  };
}

/** The same for an answer that comes in lines of JSON: it is read as far as it is asked for. */
function readsLines<Input extends z.ZodObject>(
  name: string,
  it: OperationHere<Input, AsyncIterable<string>>,
  { description, input, entries }: Pick<Tool, 'description' | 'input'> & { entries(line: object): readonly object[] },
): Tool {
  if (it.method !== 'GET') throw new Error(`${name} does not only read`);
  return {
    name,
    description,
    input,
    async run({ api }, asked, { skip, limit }) {
      const found: object[] = [];
      let passed = 0;
      for await (const line of linesOf<object>(api.pieces(it, asked))) {
        for (const entry of entries(line)) {
          passed += 1;
          if (passed > skip) found.push(entry);
          if (found.length > limit) return { entries: found.slice(0, limit), nextSkip: skip + limit };
        }
      }
      return { entries: found };
    },
  };
}

const READING: readonly Tool[] = [
  reads('who_am_i', MYSELF, {
    description: 'As whom these tools read: the person of the token, with roles and scope',
    show: ({ name, hasPolicy, person }) => ({
      ...{ name, hasPolicy },
      person: person && { name: person.name, roles: person.roles, scope: person.scope },
    }),
  }),
  reads('list_payouts', PAYOUTS, {
    description: 'Payouts by state, reason, user, own document number (`id`), account, currency, time or part of an id',
  }),
  reads('get_payout', PAYOUT),
  reads('get_payout_payee', PAYOUT_VIEW, {
    description:
      'Whom a payout pays (masked unless the role decides about it), its note, the verdicts of payee checks, and both sides of what differs',
    show: ({ payee, note, checks, sides, incidents }) => ({ payee, note, checks, sides, incidents }),
  }),
  reads('get_payout_totals', TOTALS),
  reads('get_approvals', APPROVALS),
  reads('list_batches', BATCHES),
  reads('get_batch', SUMMARY, {
    description: 'The state of a batch, its sums, and who has to act, by kind of what its rows wait for',
    show: ({ summary: { head, steps } }) => ({
      head,
      steps: steps.map(({ rows, state, needsAttention, count, totals, ...step }) => ({
        ...{ state, needsAttention, count, totals, ...nextStepOf(step, overHttp) },
        references: rows.map(({ reference }) => reference),
      })),
    }),
  }),
  reads('list_batch_payouts', BATCH_PAYOUTS),
  readsLines('get_report', REPORT, {
    description: 'The rows of the report of a batch: how each ended, what was moved, fees, returns, incidents',
    input: z.strictObject({
      id: pathId.describe('batch'),
      mask: z.boolean().default(true).describe('false: with the names of payees, where the role sees them'),
    }),
    entries: (line) => ('rows' in line ? (line.rows as object[]) : []),
  }),
  readsLines('get_batch_plan', PLAN, {
    description: 'The rows of a batch that ask a question which the caller may decide: what a person would sign',
    input: z.strictObject({ id: pathId.describe('batch'), question: z.enum(['payout', 'bank']) }),
    entries: (line) => [plannedRow(line as PlanLine)],
  }),
  reads('get_inbox', INBOX, {
    description: 'What waits for people, the oldest first; with `mine` only what the person of the token can decide',
    show: ({ payouts, next: behind, incidents, cards, parked, isCut }) => ({
      payouts: payouts.map(({ row, step }) => ({
        ...listedPayoutOf(row),
        next: step && nextStepOf(step, overHttp),
      })),
      ...{ next: behind, incidents, cards, parked, isCut },
    }),
  }),
  reads('list_incidents', INCIDENTS),
  reads('get_incident', INCIDENT),
  reads('list_switches', SWITCHES),
  reads('get_hindrances', HINDRANCES),
  reads('list_accounts', ACCOUNTS),
  reads('get_cash', CASH),
  reads('list_beneficiaries', BENEFICIARIES, {
    description: 'The beneficiaries of a user at the bank; names and accounts are masked',
    show: ({ beneficiaries }) => ({
      beneficiaries: beneficiaries.map(({ items, ...it }) => ({ ...it, ...maskedPayee(items) })),
    }),
  }),
  reads('list_orders', BANK_ORDERS),
  reads('get_required_details', OFFER),
  reads('list_statements', STATEMENTS),
  reads('list_discrepancies', DISCREPANCIES),
  reads('list_card_payments', CARDS),
  reads('get_card_payment', CARD),
  reads('list_events', EVENTS),
  reads('list_subscriptions', SUBSCRIPTIONS),
  reads('list_audit_entries', AUDIT_ENTRIES),
  {
    name: 'explain',
    description: 'What a state, a reason code, a finding, an incident or a column of a file means, and what to do',
    input: z.strictObject({ name: z.string().max(200) }),
    run: async (_place, { name }) => explained(String(name)),
  },
];

type PlanLine = { row: Parameters<typeof listedPayoutOf>[0]; asked?: object };

const plannedRow = ({ row, asked }: PlanLine): object => ({ ...listedPayoutOf(row), asked: asked ?? null });

function explained(name: string): object {
  const meaning = meaningOf(name);
  if (Object.keys(meaning).length > 0) return { name, ...(inRequests(meaning) as object) };
  const known = [RULES, STATES, REASONS, INCIDENT_KINDS].flatMap(Object.keys);
  throw new Problem('not-found', 'unknown-name', `"${visible(name)}" is no name of ours.`, {
    hint: `Ask for the code of a reason, a state, a finding or an incident.${didYouMean(name, known)}`,
  });
}

/** An agent has no commands. */
const inRequests = (texts: object): unknown =>
  JSON.parse(JSON.stringify(texts, (_name, value) => (typeof value === 'string' ? overHttp(value) : value)));

/** Like a body of the API other than a file. */
const CONTENT_MAX = 60_000;

const PROPOSING: readonly Tool[] = [
  {
    name: 'plan_file',
    proposes: true,
    description:
      'What a file of payouts would do: findings, totals, fees, balances, approvals. Nothing is claimed or paid; the maker hands over the file and signs it.',
    input: z.strictObject({
      name: z
        .string()
        .regex(/^[\w. -]{1,100}$/)
        .describe('name of the file, with its extension'),
      content: z.string().max(CONTENT_MAX).describe('the file itself: CSV, JSON, pain.001'),
      invalid: z.enum(['stop', 'skip']).default('stop').describe('skip: plan the rows without findings'),
    }),
    run: ({ api, pages }, { name, content, invalid }) => filePlan(api, pages, { name, content, invalid }),
  },
  {
    name: 'plan_move',
    proposes: true,
    description: `${PLAN_MOVE.summary}; the maker submits it and signs it`,
    input: PLAN_MOVE.input,
    async run({ api, pages }, input) {
      const { known, ...planned } = await asked(api, PLAN_MOVE, input as z.output<typeof PLAN_MOVE.input>);
      return { known: known && listedPayoutOf(known), ...planned, page: `${pages}/moves/new` };
    },
  },
  {
    name: 'draft_decision',
    proposes: true,
    description:
      'A draft for the person who decides about a payout: what it asks, your suggestion, and the page where the person checks and signs. It decides nothing.',
    input: z.strictObject({
      reference: pathId,
      decision: z.enum(['approve', 'reject']),
      why: z.string().max(1_000).describe('for the person who decides'),
    }),
    run: ({ api, pages }, { reference, decision, why }) =>
      draft(api, pages, { reference: String(reference), decision, why }),
  },
];

/** The answer to a dry run of the API; its route is for makers. */
async function filePlan(
  api: GatewayClient,
  pages: string,
  { name, content, invalid }: Record<'name' | 'content' | 'invalid', unknown>,
): Promise<object> {
  const query = new URLSearchParams({ file: String(name), invalid: String(invalid), dry_run: 'true' });
  const answer = await api.send(`/v1/batches?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: String(content),
  });
  const { plan, ...others } = (await answer.json()) as Partial<PlanDocument>;
  const listed = plan?.listed.map(({ payee, ...row }) => ({ ...row, payee: payee && maskedPayee(payee) }));
  return { ...plan, listed, ...others, page: `${pages}/batches/new` };
}

async function draft(
  api: GatewayClient,
  pages: string,
  { reference, decision, why }: { reference: string; decision: unknown; why: unknown },
): Promise<object> {
  const { payout, next } = await asked(api, PAYOUT, { reference });
  if (!['awaiting-approval', 'held', 'awaiting-bank-approval'].includes(payout.state)) {
    throw new Problem('conflict', 'asks-nothing', `Nobody is asked about this payout now: it is ${payout.state}.`, {
      hint: 'get_payout says what is next.',
    });
  }
  const address = `${pages}/payouts/${encodeURIComponent(payout.reference)}`;
  return { draft: { decision, why }, decided: false, payout, next, page: address };
}

/** Those that are offered: what reads, and with `proposes` what answers with a proposal. */
export const toolsFor = ({ proposes }: { proposes: boolean }): readonly Tool[] =>
  proposes ? [...READING, ...PROPOSING] : READING;

import type { Mutant } from './mutant.ts';

const ERRORS = 'src/bank/errors.ts';
const ANSWERS = 'src/bank/answers.ts';

/** Bugs in how answers, orders and statuses are read. */
export const ANSWER_MUTANTS: readonly Mutant[] = [
  {
    number: 'M9',
    name: 'completed-from-the-list',
    what: 'the list instead of a GET decides about an order',
    edits: [
      {
        file: 'src/activities/read.ts',
        find: 'const shown = await readIfThere(deps, orderId, { signal }).catch(asTooLarge);',
        replace:
          'const { uid, currency } = expected;\n  const shown = (await deps.bank.orders.listAll({ uid, currency })).orders.find((it) => it.order_id === orderId);',
      },
    ],
  },
  {
    number: 'P85',
    name: 'open-order-told-paid',
    what: 'an order that the watch reads while it is still open ends the payout as paid',
    edits: [
      {
        file: 'src/activities/read.ts',
        find: "return meaning === 'paid' && differences.length === 0",
        replace: "return meaning === 'paid' || meaning === 'open'",
      },
      {
        file: 'src/activities/read.ts',
        find: "endsPayout && meaning === 'paid' ?",
        replace: "endsPayout && (meaning === 'paid' || meaning === 'open') ?",
      },
    ],
  },
  {
    number: 'P20',
    name: 'gateway-refusal-believed',
    what: 'a refusal under HTTP 5xx counts as a refusal',
    edits: [
      {
        file: ANSWERS,
        find: "...(write && status >= 500 ? { outcome: 'ambiguous' as const } : {}),",
        replace: '',
      },
    ],
  },
  {
    number: 'P21',
    name: 'no-order-id-accepted',
    what: 'code 0 without an order id counts as accepted',
    edits: [
      {
        file: 'src/bank/schemas/transactions.ts',
        find: 'export const placedOrder = z.object({ order_id: identifier });',
        replace:
          "export const placedOrder = z.any().transform((data) => ({ order_id: String(data?.order_id || 'none') }));",
      },
    ],
  },
  {
    number: 'P22',
    name: 'unknown-code-refused',
    what: 'a code outside the interface counts as a refusal',
    edits: [
      {
        file: ERRORS,
        find: "rule?.onSubmit ?? 'ambiguous'",
        replace: "rule?.onSubmit ?? 'refused'",
      },
    ],
  },
  {
    number: 'P23',
    name: 'in-progress-refused',
    what: 'code 2011 on a submit counts as a refusal',
    edits: [
      {
        file: ERRORS,
        find: "2011: { condition: 'in-progress', onSubmit: 'ambiguous'",
        replace: "2011: { condition: 'in-progress', onSubmit: 'refused'",
      },
    ],
  },
  {
    number: 'P24',
    name: 'lost-answer-not-sent',
    what: 'a connection lost after the first byte counts as not sent',
    edits: [
      {
        file: ANSWERS,
        find: 'if (failure.sent) return',
        replace: 'if (failure.sent && failure.message === "") return',
      },
    ],
  },
  {
    number: 'P25',
    name: 'garbage-not-sent',
    what: 'an answer that is no envelope counts as not sent',
    edits: [
      {
        file: ANSWERS,
        find: 'if (parsed === undefined)\n      throw unknownOutcome(',
        replace:
          'if (parsed === undefined) throw unauthenticated(answer, call);\n    if (parsed === undefined)\n      throw unknownOutcome(',
      },
    ],
  },
  {
    number: 'P26',
    name: 'differences-ignored',
    what: 'an order that is not what was sent is taken for it',
    edits: [{ file: 'src/domain/order-judgement.ts', find: 'return differs;', replace: 'return [];' }],
  },
  {
    number: 'P27',
    name: 'refund-taken-as-order',
    what: 'money that came back counts as an order',
    edits: [
      { file: 'src/domain/order-judgement.ts', find: "return type === 'REFUND' || (", replace: 'return false && (' },
    ],
  },
  {
    number: 'P28',
    name: 'unknown-status-failed',
    what: 'a status without a known meaning counts as failed',
    edits: [{ file: 'src/bank/schemas/order-status.ts', find: ": 'unknown';", replace: ": 'failed';" }],
  },
  {
    number: 'P29',
    name: 'closed-taken-as-paid',
    what: 'CLOSED counts as paid',
    edits: [
      {
        file: 'src/domain/order-status.ts',
        find: "stage === 'closed' ? closedMeans",
        replace: "stage === 'closed' ? 'paid'",
      },
    ],
  },
  {
    number: 'P30',
    name: 'no-money-at-first-read',
    what: '"no money" is believed without a pause before the second read',
    edits: [
      {
        file: 'src/workflows/payout/follow.ts',
        find: 'await sleep(terms.waits.noMoneyRecheckMs, {',
        replace: 'await sleep(1, {',
      },
    ],
  },
  {
    number: 'P31',
    name: 'end-overwritten',
    what: 'a stored end can be changed',
    edits: [
      {
        file: 'src/store/payouts.ts',
        find: ".where('reference', '=', reference)\n    .where('state', 'not in', END_STATES)",
        replace: ".where('reference', '=', reference)",
      },
    ],
  },
];

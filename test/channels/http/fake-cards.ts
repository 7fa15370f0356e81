import { WorkflowNotFoundError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { CardVault } from '../../../src/bank/cards/vault.ts';
import type { CardAnswer } from '../../../src/channels/http/take-payment.ts';
import type { CardPaymentInput, CardState, CardStateView } from '../../../src/domain/card-payment.ts';
import { GRPC } from '../../../src/platform/temporal/connection.ts';
import { type FakeTemporal, type Sent, updateRefused } from '../../support/fake-temporal.ts';

/** The workflows of card payments are what the test says. */
export interface FakeCards {
  vault: CardVault;
  /** Of each payment that runs. */
  states: Map<string, CardState | 'unanswered'>;
  started: CardPaymentInput[];
  /** Updates and signals, each in its order. */
  reported: { id: string; name: string; payload?: unknown; updateId?: string }[];
  /** Answer of the next updates. */
  answer: CardAnswer<unknown>;
}

export const PAGE = 'https://checkout.example';

const CARD = 'card/';
const isCard = ({ workflowId }: { workflowId: string }): boolean => workflowId.startsWith(CARD);
const idOf = (workflowId: string): string => workflowId.slice(CARD.length);

export function fakeCards(temporal: FakeTemporal): FakeCards {
  const fake: FakeCards = {
    vault: new CardVault({ taskQueue: 'payouts-vault/v', lifeMs: 60_000, entriesMax: 3 }),
    states: new Map(),
    started: [],
    reported: [],
    answer: { outcome: 'answered', answer: { accepted: true } },
  };
  const { answer, noticed } = temporal;
  Object.assign(temporal, {
    begun(workflowId: string, input: CardPaymentInput) {
      if (!isCard({ workflowId })) return;
      fake.started.push(input);
      fake.states.set(idOf(workflowId), input.card === undefined ? 'awaiting-card' : 'setting-up');
    },
    noticed(sent: Sent) {
      noticed(sent);
      const { workflowId, ...it } = sent;
      if (isCard(sent)) fake.reported.push({ id: idOf(workflowId), ...it });
    },
    isThere: (workflowId: string) => !isCard({ workflowId }) || fake.states.has(idOf(workflowId)),
    state(workflowId: string) {
      const state = fake.states.get(idOf(workflowId));
      if (state === 'unanswered') throw Object.assign(new Error('no answer'), NO_WORKER);
      return state && viewIn(idOf(workflowId), state);
    },
    answer: (sent: Sent) => (isCard(sent) ? answerAs(fake.answer) : answer(sent)),
  } satisfies Partial<FakeTemporal>);
  return fake;
}

/** A gRPC error: no worker has polled recently. */
const NO_WORKER = { code: GRPC.FAILED_PRECONDITION, details: '', metadata: {} };

function answerAs(answer: CardAnswer<unknown>): unknown {
  if (answer.outcome === 'answered') return answer.answer;
  if (answer.outcome === 'refused') throw updateRefused(answer.why);
  if (answer.outcome === 'no-worker') throw new WorkflowUpdateRPCTimeoutOrCancelledError('no answer');
  throw new WorkflowNotFoundError('workflow not found', '', undefined);
}

const viewIn = (id: string, state: CardState): CardStateView => ({
  state,
  reason: null,
  merchant_request_id: id,
  payment_id: 'pay-1',
  payment_status: 'REQUIRES_ACTION',
  amount: '49.90',
  currency: 'EUR',
  ...(state === 'awaiting-card' ? { bin: null, last_four: null } : { bin: '401288', last_four: '1881' }),
  next_action: { type: '3DS', verify_url: 'https://acs.example/v' },
  data_collection_info: { token: 't' },
  evidence: [],
});

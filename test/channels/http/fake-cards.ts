import { CardVault } from '../../../src/bank/cards/card-vault.ts';
import type { CardDeps } from '../../../src/channels/http/gateway-deps.ts';
import type { CardAnswer } from '../../../src/channels/http/take-payment.ts';
import type { CardPaymentInput, CardState, CardStateView } from '../../../src/domain/card-payment.ts';

/** The card payments of a gateway with a real vault; their workflows are what the test says. */
export interface FakeCards extends CardDeps {
  origins: string[];
  returnHosts: readonly string[] | undefined;
  /** Of each payment that runs. */
  states: Map<string, CardState | 'silent'>;
  started: CardPaymentInput[];
  told: { id: string; name: string; payload?: unknown; updateId?: string }[];
  /** Answer of the next updates. */
  answer: CardAnswer<unknown>;
  /** Makes Temporal unreachable. */
  down: boolean;
}

export const PAGE = 'https://checkout.example';

export function fakeCards(): FakeCards {
  const reachable = (): void => {
    if (fake.down) throw new Error('Temporal is down');
  };
  const fake: FakeCards = {
    vault: new CardVault({ taskQueue: 'payouts-vault/v', lifeMs: 60_000, entriesMax: 3 }),
    returnHosts: undefined,
    returnOrigins: [],
    tries: 3,
    origins: [PAGE],
    states: new Map(),
    started: [],
    told: [],
    answer: { outcome: 'answered', answer: { accepted: true } },
    down: false,
    async start(input) {
      reachable();
      fake.started.push(input);
      fake.states.set(input.merchant_request_id, input.card === undefined ? 'awaiting-card' : 'setting-up');
    },
    async state(id) {
      reachable();
      const state = fake.states.get(id);
      if (state === undefined) return 'not-started';
      return state === 'silent' ? state : viewIn(id, state);
    },
    async update(id, name, payload, updateId) {
      reachable();
      fake.told.push({ id, name, payload, ...(updateId !== undefined && { updateId }) });
      return fake.answer as never;
    },
    async signal(id, name) {
      fake.told.push({ id, name });
      return fake.states.has(id);
    },
  };
  return fake;
}

const viewIn = (id: string, state: CardState): CardStateView => ({
  state,
  reason: null,
  merchant_request_id: id,
  payment_id: 'pay-1',
  payment_status: 'REQUIRES_ACTION',
  amount: '49.90',
  currency: 'EUR',
  bin: '401288',
  last_four: '1881',
  next_action: { type: '3DS', verify_url: 'https://acs.example/v' },
  data_collection_info: { token: 't' },
  evidence: [],
});

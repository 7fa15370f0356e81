import { ApplicationFailure, CancellationScope, setHandler } from '@temporalio/workflow';
import type { CardEvent, CardHandle } from '../../domain/card-payment.ts';
import { parseAmount } from '../../domain/money.ts';
import { assertNamed, handleCancel, handleResolve, until } from '../execution.ts';
import {
  cancelCardUpdate,
  cardEventSignal,
  cardholderReturnedSignal,
  cardStateQuery,
  changeAmountUpdate,
  fingerprintDoneSignal,
  provideCardUpdate,
  resolveCardUpdate,
} from '../messages.ts';
import type { CardExecution } from './execution.ts';

/** Sets every handler of a card payment. Called before the first await. */
export function handleCardMessages(execution: CardExecution): void {
  setHandler(cardStateQuery, () => execution.view(), {
    description: 'Where the card payment is, why, and what the browser must do. No argument.',
  });
  setHandler(cardEventSignal, (event) => (isEvent(event) ? execution.receive(event) : undefined), {
    description: 'A stored event of the acquirer; from the gateway or the worker.',
  });
  setHandler(fingerprintDoneSignal, () => execution.fingerprintCollected(), {
    description: 'The device fingerprint is collected: the payment goes on at once.',
  });
  setHandler(cardholderReturnedSignal, () => execution.cardholderReturned(), {
    description: 'The browser is back from the confirmation: the payment is checked.',
  });
  setHandler(
    provideCardUpdate,
    (card) => {
      execution.takesCard(card);
      return { accepted: true } as const;
    },
    {
      description: 'Gives the payment its card, as a handle of a vault.',
      validator: (card) => {
        // Also before it is asked for: the run finds the card when it gets there.
        if (execution.isSent || execution.hasEnded)
          throw new Error(`the card payment is ${execution.state}, not awaiting-card`);
        if (execution.card !== undefined) throw new Error('the card payment has a card by now');
        if (!isHandle(card)) throw new Error('this is no handle of a card');
      },
    },
  );
  handleAmount(execution);
  handleCancel(execution, cancelCardUpdate, {
    isTaken: () => !execution.hasEnded && !execution.isSent,
    isKnown: () => execution.isSent,
    outcome: () => (execution.state === 'cancelled' ? 'cancelled' : 'too-late'),
    description: 'Cancel before anything was sent that takes money. `{"by":"alice","reason":"order withdrawn"}`',
  });
  handleResolve(execution, resolveCardUpdate, {
    actions: ['keep-looking', 'adopt-payment', 'close-as-not-paid'],
    needs: ['adopt-payment', 'paymentId'],
    description:
      'Decide what the interface cannot. ' +
      '`{"action":"keep-looking|adopt-payment|close-as-not-paid","by":"alice","evidence":"acquirer\'s statement","paymentId":"…"}`',
  });
}

const TOO_LATE = 'too late: the payment was sent';

function handleAmount(execution: CardExecution): void {
  setHandler(
    changeAmountUpdate,
    async ({ amount, by }) => {
      // Without the claim nobody knows what an earlier run has sent.
      if (execution.claim === undefined) await until(() => execution.claim !== undefined || execution.hasEnded);
      if (execution.isSent || execution.hasEnded) throw ApplicationFailure.nonRetryable(TOO_LATE, 'AmountRefused');
      execution.changesSum(amount);
      execution.note(`amount changed by ${by}`);
      // Written in the workflow task that answers, and not awaited: if an update's answer waits for a local activity, a worker
      // that dies can tear the update in two, and its workflow then fails for ever (SDK 1.24.0).
      void CancellationScope.nonCancellable(() => execution.record({}, 'the amount was changed')).catch(
        () => undefined,
      );
      return { amount };
    },
    {
      description: 'Changes the amount before anything was sent that takes it. `{"amount":"12.50","by":"alice"}`',
      validator: (update) => {
        if (execution.isSent || execution.hasEnded) throw new Error(TOO_LATE);
        assertNamed(update);
        const amount =
          typeof update.amount === 'string' ? parseAmount(update.amount, execution.position.currency) : undefined;
        if (amount?.ok !== true || amount.minor <= 0n)
          throw new Error('"amount" is no amount above 0 of this currency');
      },
    },
  );
}

function isEvent(value: unknown): value is CardEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, paymentId, status, trust, receivedAt, amount = null, currency = null } = value as Partial<CardEvent>;
  return (
    (kind === 'status' || kind === 'completion') &&
    typeof paymentId === 'string' &&
    typeof status === 'string' &&
    (trust === 'verified' || trust === 'hint') &&
    typeof receivedAt === 'number' &&
    [amount, currency].every((text) => text === null || typeof text === 'string')
  );
}

/** Exactly a handle: an update with anything more, perhaps a card, is refused and leaves nothing in history. */
function isHandle(value: unknown): value is CardHandle {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 5) return false;
  const { handle, vault, bin, last_four: lastFour, expires_at: expiresAt } = value as Partial<CardHandle>;
  return (
    typeof handle === 'string' &&
    typeof vault === 'string' &&
    /^\d{6}$/.test(bin ?? '') &&
    /^\d{4}$/.test(lastFour ?? '') &&
    typeof expiresAt === 'number'
  );
}

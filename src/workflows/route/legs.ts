import type { Prepared } from '../../activities/payout.ts';
import { type LegKind, mainLegOf } from '../../domain/names.ts';
import { STUCK } from '../leg/followed-order.ts';
import { type LegMemory, type LegPlan, OrderLeg } from '../leg/order-leg.ts';
import type { Gates } from '../payout/gates.ts';
import type { PayoutView } from '../payout/view.ts';
import { sends } from '../proxies.ts';

/** What a run works with under one claim. */
export interface Run {
  prepared: Extract<Prepared, { kind: 'ready' }>;
  view: PayoutView;
  gates: Gates;
}

/** The orders of a row: `main` ends it. Only a payout may have an exchange before it. */
export interface Legs {
  exchange?: OrderLeg;
  main: OrderLeg;
}

export type LegMemories = Partial<Record<LegKind, LegMemory>>;

/** `before`: the same legs, as known to this run before it lost its claim, or to the run it continues. */
export function legsOf(run: Run, before: LegMemories): Legs {
  const { prepared, view } = run;
  const { parked } = prepared;
  const { kind } = view;
  if (kind !== 'payout') return { main: legOf(run, mainLegOf(kind), { ...MAIN, parked }, before) };
  // `parked` is about the leg that is in doubt; about a payment that was never sent nothing can be decided.
  const asksOfExchange =
    prepared.exchange?.submission?.tainted === true && prepared.payment?.submission?.tainted !== true;
  const exchange = legOf(run, 'exchange', { ...EXCHANGE_BEFORE, parked: asksOfExchange ? parked : null }, before);
  const main = legOf(run, 'payment', { ...MAIN, parked: asksOfExchange ? null : parked, earlier: exchange }, before);
  return { exchange, main };
}

type Place = Pick<LegPlan, 'submitting' | 'following' | 'cancellable' | 'endsPayout' | 'thenAssess'>;

const MAIN: Place = {
  submitting: 'submitting',
  following: 'processing',
  cancellable: true,
  endsPayout: true,
};

const EXCHANGE_BEFORE: Place = {
  submitting: 'converting',
  following: 'converting',
  cancellable: false,
  endsPayout: false,
  thenAssess: { exchanged: true, exchangeSent: true },
};

const SENDERS = {
  payment: { submit: sends.submitPayment, does: 'pays' },
  transfer: { submit: sends.submitTransfer, does: 'transfers' },
  exchange: { submit: sends.submitExchange, does: 'buys' },
} as const;

function legOf(
  { prepared, view, gates }: Run,
  kind: LegKind,
  place: Place & Pick<LegPlan, 'parked' | 'earlier'>,
  before: LegMemories,
): OrderLeg {
  const { [kind]: start, terms, parked } = prepared;
  if (start === undefined) throw new Error(`a row of this kind sends no ${kind}`);
  const { currency = '', amount = '' } = view.input;
  const { submit, does } = SENDERS[kind];
  const what = place.endsPayout ? `${does} ${currency} ${amount}` : `${does} ${currency} for ${amount} and the fee`;
  const plan: LegPlan = {
    ...place,
    kind,
    foundStuck: parked?.code === STUCK,
    assess: () => gates.assess(),
    send: (known) => {
      const attempt = known.attempts + 1;
      return submit.executeWithOptions({ summary: `${what}, attempt ${attempt}` }, [
        { claim: view.claim, attempt, lastLeft: known.lastLeft },
      ]);
    },
  };
  return new OrderLeg(view, terms, start, plan, before[kind]);
}

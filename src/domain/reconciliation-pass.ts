import type { Incident } from './reconciliation.ts';

/** Result of comparing stored payouts with the bank's orders. */
export interface ReconciliationFindings {
  /** Orders read, returns included. */
  orders: number;
  returns: number;
  incidents: number;
  /** Orders that are under no reference of ours. */
  unaskedOrders: number;
  /** Number of facts not known before. */
  recorded: number;
  /** Incidents to show; only the first ones if there are very many. */
  shown: readonly Incident[];
}

export const NOTHING_FOUND: ReconciliationFindings = {
  orders: 0,
  returns: 0,
  incidents: 0,
  unaskedOrders: 0,
  recorded: 0,
  shown: [],
};

const INCIDENTS_SHOWN = 50;

/** An exchange is found in the lists of both its currencies: its incident counts once as long as it is among those shown. */
export function addFindings(a: ReconciliationFindings, b: ReconciliationFindings): ReconciliationFindings {
  const known = new Set(a.shown.map((incident) => JSON.stringify(incident)));
  const news = b.shown.filter((incident) => !known.has(JSON.stringify(incident)));
  return {
    orders: a.orders + b.orders,
    returns: a.returns + b.returns,
    incidents: a.incidents + b.incidents - (b.shown.length - news.length),
    unaskedOrders: a.unaskedOrders + b.unaskedOrders,
    recorded: a.recorded + b.recorded,
    shown: [...a.shown, ...news].slice(0, INCIDENTS_SHOWN),
  };
}

/** Progress and findings of a pass over all keys (a user and a currency). */
export interface ReconciliationPass {
  /** The last key compared; null before the first one. */
  after: { uid: string; currency: string } | null;
  keys: number;
  /** Keys whose orders the bank did not show in time; the next pass compares them again. */
  unreadKeys: number;
  findings: ReconciliationFindings;
}

/** A pass for people: what was counted, and how many. */
export function countsOf({ keys, unreadKeys, findings }: ReconciliationPass): [name: string, count: number][] {
  return [
    ['users and currencies', keys],
    ['without an answer', unreadKeys],
    ['orders read', findings.orders],
    ['returns', findings.returns],
    ['incidents', findings.incidents],
    ['orders we did not send', findings.unaskedOrders],
    ['returns and incidents seen for the first time', findings.recorded],
  ];
}

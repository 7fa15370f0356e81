import type { OperationHere } from '../operation.ts';
import { AUDIT_ENTRIES, AUDIT_EXPORT, RETENTION } from './audit-operations.ts';
import { ACCOUNTS, BANK_ORDERS, BENEFICIARIES, OFFER } from './bank-operations.ts';
import { CANCEL_CARD, CARD_AMOUNT, RESOLVE_CARD } from './card-decision-operations.ts';
import { CARD, CARD_AT_ACQUIRER, CARDS } from './card-operations.ts';
import { CASH } from './cash-operations.ts';
import { CANCEL_PAYOUT, DECIDE, RECHECK, RESOLVE } from './decision-operations.ts';
import { EVENTS, FORGET, REPLAY, SUBSCRIPTIONS } from './event-operations.ts';
import { ACKNOWLEDGE, INBOX, INCIDENT, INCIDENTS } from './inbox-operations.ts';
import { BATCH_PAYOUTS, BATCHES, HINDRANCES, PAYOUTS, TOTALS } from './list-operations.ts';
import { MOVE, MOVED, PLAN_MOVE } from './move-operations.ts';
import { APPROVALS, MYSELF } from './people-operations.ts';
import { CLOSE_PERIOD, PERIOD, PERIOD_CSV, PERIOD_DOCUMENT, PERIODS } from './period-operations.ts';
import { DECIDE_PLAN, PLAN } from './plan-operations.ts';
import { ERP_FILE, REPORT } from './report-operations.ts';
import { RETRY } from './retry-operations.ts';
import { PAYOUT, PAYOUT_VIEW, PROGRESS, SUMMARY, TARGET } from './state-operations.ts';
import { DISCREPANCIES, DISCREPANCIES_CSV, MATCH, STATEMENTS, TAKE_ORDERS } from './statement-operations.ts';
import { NAMED_SWITCH, SWITCH, SWITCHES } from './switch-operations.ts';
import { WAITING } from './waiting-operations.ts';

/** By operation id, the name of the call in a client; in the order of the OpenAPI page. */
const BY_ID = {
  getMyself: MYSELF,
  findTarget: TARGET,
  listBatches: BATCHES,
  listBatchPayouts: BATCH_PAYOUTS,
  getBatchSummary: SUMMARY,
  getBatchProgress: PROGRESS,
  streamBatchReport: REPORT,
  streamErpFile: ERP_FILE,
  retryBatch: RETRY,
  listPayouts: PAYOUTS,
  getPayoutTotals: TOTALS,
  getPayout: PAYOUT,
  getPayoutView: PAYOUT_VIEW,
  getHindrances: HINDRANCES,
  planMove: PLAN_MOVE,
  createMove: MOVE,
  getMove: MOVED,
  listCardPayments: CARDS,
  getCardPaymentEvents: CARD,
  retrieveCardPayment: CARD_AT_ACQUIRER,
  changeCardPaymentAmount: CARD_AMOUNT,
  cancelCardPayment: CANCEL_CARD,
  resolveCardPayment: RESOLVE_CARD,
  getInbox: INBOX,
  listWaiting: WAITING,
  decidePayout: DECIDE,
  recheckPayout: RECHECK,
  cancelPayout: CANCEL_PAYOUT,
  resolvePayout: RESOLVE,
  getPayoutApprovals: APPROVALS,
  streamBatchPlan: PLAN,
  decideBatch: DECIDE_PLAN,
  listIncidents: INCIDENTS,
  getIncident: INCIDENT,
  acknowledgeIncident: ACKNOWLEDGE,
  listSwitches: SWITCHES,
  getSwitch: NAMED_SWITCH,
  setSwitch: SWITCH,
  listAccounts: ACCOUNTS,
  getCash: CASH,
  listBeneficiaries: BENEFICIARIES,
  listOrders: BANK_ORDERS,
  listRequiredDetails: OFFER,
  listAuditEntries: AUDIT_ENTRIES,
  exportAudit: AUDIT_EXPORT,
  getRetention: RETENTION,
  listStatements: STATEMENTS,
  listDiscrepancies: DISCREPANCIES,
  exportDiscrepancies: DISCREPANCIES_CSV,
  takeOrders: TAKE_ORDERS,
  matchEntry: MATCH,
  getPeriod: PERIOD,
  exportPeriod: PERIOD_CSV,
  closePeriod: CLOSE_PERIOD,
  listPeriods: PERIODS,
  getPeriodDocument: PERIOD_DOCUMENT,
  listEvents: EVENTS,
  listSubscriptions: SUBSCRIPTIONS,
  replaySubscription: REPLAY,
  forgetSubscription: FORGET,
};

/** Every operation that the gateway offers. */
export const OPERATIONS = Object.entries(BY_ID).map(([id, it]) => ({
  id,
  ...(it as unknown as OperationHere),
}));

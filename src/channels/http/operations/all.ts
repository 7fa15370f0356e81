import type { OperationHere } from '../operation.ts';
import { AUDIT_ENTRIES, AUDIT_EXPORT } from './audit-operations.ts';
import { ACCOUNTS, BANK_ORDERS, BENEFICIARIES, OFFER } from './bank-operations.ts';
import { CANCEL_CARD, CARD_AMOUNT, RESOLVE_CARD } from './card-decision-operations.ts';
import { CARD, CARD_AT_ACQUIRER, CARDS } from './card-operations.ts';
import { CASH } from './cash-operations.ts';
import { CANCEL_PAYOUT, DECIDE, RECHECK, RESOLVE } from './decision-operations.ts';
import { EVENTS, FORGET, REPLAY, SUBSCRIPTIONS } from './event-operations.ts';
import { ACKNOWLEDGE, INBOX, INCIDENT, INCIDENTS } from './inbox-operations.ts';
import { BATCHES, HINDRANCES, PAYOUTS } from './list-operations.ts';
import { MOVE, MOVED, PLAN_MOVE } from './move-operations.ts';
import { APPROVALS, MYSELF } from './people-operations.ts';
import { DECIDE_PLAN, PLAN } from './plan-operations.ts';
import { ERP_FILE, REPORT } from './report-operations.ts';
import { RETRY } from './retry-operations.ts';
import { PAYOUT, PROGRESS, SUMMARY, TARGET } from './state-operations.ts';
import { DISCREPANCIES, DISCREPANCIES_CSV, MATCH, STATEMENTS, TAKE_ORDERS } from './statement-operations.ts';
import { NAMED_SWITCH, SWITCH, SWITCHES } from './switch-operations.ts';
import { WAITING } from './waiting-operations.ts';

/** Every operation that the gateway offers, in the order of its OpenAPI page. */
export const OPERATIONS = [
  ...[MYSELF, TARGET, BATCHES, SUMMARY, PROGRESS, REPORT, ERP_FILE, RETRY, PAYOUTS, PAYOUT, HINDRANCES],
  ...[PLAN_MOVE, MOVE, MOVED, CARDS, CARD, CARD_AT_ACQUIRER, CARD_AMOUNT, CANCEL_CARD, RESOLVE_CARD],
  ...[INBOX, WAITING, DECIDE, RECHECK, CANCEL_PAYOUT, RESOLVE, APPROVALS, PLAN, DECIDE_PLAN],
  ...[INCIDENTS, INCIDENT, ACKNOWLEDGE, SWITCHES, NAMED_SWITCH, SWITCH],
  ...[ACCOUNTS, CASH, BENEFICIARIES, BANK_ORDERS, OFFER, AUDIT_ENTRIES, AUDIT_EXPORT],
  ...[STATEMENTS, DISCREPANCIES, DISCREPANCIES_CSV, TAKE_ORDERS, MATCH],
  ...[EVENTS, SUBSCRIPTIONS, REPLAY, FORGET],
] as readonly unknown[] as readonly OperationHere[];

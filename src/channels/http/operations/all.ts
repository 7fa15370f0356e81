import type { OperationHere } from '../operation.ts';
import { AUDIT_ENTRIES, AUDIT_EXPORT } from './audit.ts';
import { ACCOUNTS, BANK_ORDERS, BENEFICIARIES, OFFER } from './bank.ts';
import { CANCEL_CARD, CARD_AMOUNT, RESOLVE_CARD } from './card-decisions.ts';
import { CARD, CARD_AT_ACQUIRER, CARDS } from './cards.ts';
import { CANCEL_PAYOUT, DECIDE, RESOLVE } from './decisions.ts';
import { EVENTS, FORGET, REPLAY, SUBSCRIPTIONS } from './events.ts';
import { ACKNOWLEDGE, INBOX, INCIDENT, INCIDENTS } from './inbox.ts';
import { BATCHES, PAYOUTS } from './lists.ts';
import { MOVE, MOVED, PLAN_MOVE } from './moves.ts';
import { APPROVALS, MYSELF } from './people.ts';
import { DECIDE_PLAN, PLAN } from './plans.ts';
import { PAYOUT, PROGRESS, SUMMARY, TARGET } from './progress.ts';
import { ERP_FILE, REPORT } from './reports.ts';
import { RETRY } from './retry.ts';
import { NAMED_SWITCH, SWITCH, SWITCHES } from './switches.ts';
import { WAITING } from './waiting.ts';

/** Every operation that the gateway offers, in the order of its OpenAPI page. */
export const OPERATIONS = [
  ...[MYSELF, TARGET, BATCHES, SUMMARY, PROGRESS, REPORT, ERP_FILE, RETRY, PAYOUTS, PAYOUT],
  ...[PLAN_MOVE, MOVE, MOVED, CARDS, CARD, CARD_AT_ACQUIRER, CARD_AMOUNT, CANCEL_CARD, RESOLVE_CARD],
  ...[INBOX, WAITING, DECIDE, CANCEL_PAYOUT, RESOLVE, APPROVALS, PLAN, DECIDE_PLAN],
  ...[INCIDENTS, INCIDENT, ACKNOWLEDGE, SWITCHES, NAMED_SWITCH, SWITCH],
  ...[ACCOUNTS, BENEFICIARIES, BANK_ORDERS, OFFER, AUDIT_ENTRIES, AUDIT_EXPORT],
  ...[EVENTS, SUBSCRIPTIONS, REPLAY, FORGET],
] as readonly unknown[] as readonly OperationHere[];

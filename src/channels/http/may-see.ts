import type { FastifyRequest } from 'fastify';
import {
  acting,
  decidesAs,
  holdsAll,
  isSamePerson,
  isWithin,
  may,
  mayMakeCard,
  mayOperateCard,
  type Person,
  type Question,
  type Scope,
  type ScopeFacts,
  scopeText,
} from '../../domain/authority.ts';
import { isSettled } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { mayControl, roleAskedOf } from '../../people/decisions/scope.ts';
import { scopeFactsOfRow } from '../../people/decisions/verdict.ts';
import type { CardRecord, CardsSeenBy } from '../../store/card-store.ts';
import type { BatchRecord, PayoutRecord, PayoutSearch, Store } from '../../store/store.ts';
import type { Caller } from './callers.ts';
import { hasControls } from './documents.ts';
import type { Gateway } from './gateway-app.ts';
import type { CallerAccess } from './route-access.ts';

/**
 * Whether a caller may know of a batch: their own, or one within the scope of somebody who decides or reads. Without a policy,
 * every admitted caller may.
 */
export async function maySee({ person }: Caller, store: Store, { batchId, by }: BatchRecord): Promise<boolean> {
  if (person === undefined || by === person.name) return true;
  const touched = await store.scopeFactsOfBatch(batchId);
  return scopesSeen(person).some((scope) => touched.every((row) => isWithin(scope, row)));
}

/** The batch in the path. Throws a `Problem` if it does not exist or the caller may not see it. */
export async function visibleBatchOf({ store }: Gateway, { params, caller }: FastifyRequest): Promise<BatchRecord> {
  const { id } = params as { id: string };
  const batch = hasControls(id) ? undefined : await store.batch(id);
  if (batch !== undefined && (await maySee(caller, store, batch))) return batch;
  throw new Problem('not-found', 'unknown-id', 'There is no batch with this id.', {
    hint: 'The list of batches shows the ids.',
  });
}

/** The same of one payout. */
export function maySeePayout({ person }: Caller, row: PayoutRecord): boolean {
  if (person === undefined || row.by === person.name) return true;
  return scopesSeen(person).some((scope) => isWithin(scope, scopeFactsOfRow(row)));
}

/**
 * Whether the caller sees its payee in full: its maker, and those who decide about payouts, holds or what an operator has to decide,
 * within their scope. The names of others are not masked in reports, which have no account numbers.
 */
export function maySeePayee({ person }: Caller, row: PayoutRecord): boolean {
  if (person === undefined || row.by === person.name) return true;
  return DECIDING.some((question) => may(person, question, scopeFactsOfRow(row)));
}

const DECIDING: readonly Question[] = ['payout', 'screening', 'resolve'];

/** The same as far as the store searches by it, which knows neither the second account of a row nor what it sells. */
export const payoutsSeenBy = ({ person }: Caller): PayoutSearch['seenBy'] =>
  person && { name: person.name, scopes: scopesSeen(person) };

/** What a person may know of beside their own: their scope, if they do more than submit, and those of whom they stand in for. */
const scopesSeen = (person: Person): Scope[] =>
  acting(person)
    .filter(({ roles }) => roles.some((role) => role !== 'maker'))
    .map(({ scope }) => scope);

/** Whether the batch is the caller's own, or the caller is an operator whose scope covers it. */
export const mayControlBatch = async ({ person }: Caller, store: Store, batch: BatchRecord): Promise<boolean> =>
  person === undefined || mayControl(store, person, batch);

/** Throws a `Problem` unless the caller may. */
export async function assertMayControl(caller: Caller, store: Store, batch: BatchRecord): Promise<void> {
  if (await mayControlBatch(caller, store, batch)) return;
  throw new Problem('forbidden', 'role-missing', 'The policy does not let you control this batch.', {
    hint: 'Its maker may, and an operator whose scope covers all of its rows.',
  });
}

/** Their own, and as operator or auditor those of the currencies of their scope; undefined: all. */
export const cardsSeenBy = ({ person }: Caller): CardsSeenBy | undefined =>
  person && { by: person.name, currencies: readsCards(person) ? person.scope.currencies : [] };

const readsCards = ({ roles }: Person): boolean => roles.some((role) => role === 'operator' || role === 'auditor');

export function maySeeCard(caller: Caller, { by, currency }: CardRecord): boolean {
  const seen = cardsSeenBy(caller);
  return seen === undefined || seen.by === by || (seen.currencies ?? [currency]).includes(currency);
}

/** Throws a `Problem` unless the caller may take money from cards in this currency. */
export function assertMayMakeCard({ person }: Caller, asked: { currency: string }): void {
  if (person === undefined || mayMakeCard(person, asked)) return;
  throw new Problem('forbidden', 'outside-scope', 'This card payment is outside the scope of this token.', {
    hint: 'Take only currencies of the scope; a scope of kinds, users or accounts holds no card payment.',
  });
}

/** Throws a `Problem` unless it is the caller's own card payment, or an operator's whose scope holds it. */
export function assertMayControlCard({ person }: Caller, record: CardRecord): void {
  if (person === undefined || record.by === person.name || mayOperateCard(person, record)) return;
  throw new Problem('forbidden', 'role-missing', 'The policy does not let this token control the card payment.', {
    hint: 'Who has made it may, and an operator whose scope covers its currency.',
  });
}

// What a page offers its viewer. It is checked again where it is done: by the API, the store and the sender.

export const maySubmitFiles = ({ person }: Caller): boolean => person === undefined || may(person, 'make');

export const OPERATING: CallerAccess = { roles: ['operator'], scope: 'each' };

export const mayOperate = (
  { person }: Caller,
  question: Extract<Question, 'resolve' | 'switch'>,
  touched?: ScopeFacts,
): boolean => person === undefined || may(person, question, touched);

/** For the maker, and an operator whose scope covers it; not after an end, nor while only an operator can resolve it. */
export const mayCancel = (caller: Caller, row: PayoutRecord): boolean =>
  !isSettled(row.state) && (caller.person?.name === row.by || mayOperate(caller, 'resolve', scopeFactsOfRow(row)));

/** Throws a `Problem` if the caller is not an operator whose scope covers it. */
export function assertMayOperate(...asked: Parameters<typeof mayOperate>): void {
  if (mayOperate(...asked)) return;
  throw new Problem('forbidden', 'role-missing', 'Your role does not allow you to do this.', {
    hint: 'It requires the role operator.',
  });
}

export const seesAll = ({ person }: Caller): boolean => person === undefined || holdsAll(person.scope);

export const DECIDERS = { payout: 'an approver', screening: 'somebody with the role compliance' } as const;

/** Anybody without a policy, where only the name they give can show that they are the maker. */
export const mayDecide = ({ person }: Caller, row: PayoutRecord): boolean =>
  person === undefined ||
  decidesAs(person, roleAskedOf(row), { maker: row.by, touches: scopeFactsOfRow(row) }).length > 0;

/** Why somebody who sees a payout cannot decide about it (`mayDecide`). */
export function whyNot(caller: Caller | undefined, row: PayoutRecord): string {
  const role = roleAskedOf(row);
  const person = caller?.person;
  if (person !== undefined && isSamePerson(row.by ?? '', person.name)) {
    return 'you have submitted it, and nobody decides about their own';
  }
  if (person !== undefined && may(person, role)) return `it is outside your scope (${scopeText(person.scope)})`;
  return `it requires ${DECIDERS[role]}, and your roles are: ${person?.roles.join(', ') ?? 'none'}`;
}

import { holdsAll, isSamePerson, may, type Question, type ScopeFacts } from '../../domain/authority.ts';
import { isAtRest } from '../../domain/payout-state.ts';
import { Problem } from '../../domain/problem.ts';
import { roleAskedOf } from '../../people/decisions/scope.ts';
import { scopeFactsOfRow } from '../../people/decisions/verdict.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import type { CallerAccess } from '../http/route-access.ts';

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
  !isAtRest(row.state) && (caller.person?.name === row.by || mayOperate(caller, 'resolve', scopeFactsOfRow(row)));

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
  (may(person, roleAskedOf(row), scopeFactsOfRow(row)) && !isSamePerson(row.by ?? '', person.name));

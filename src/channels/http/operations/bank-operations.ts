import { z } from 'zod';
import type { AccountBalance } from '../../../bank/schemas/accounts.ts';
import type { Beneficiary, RequiredDetailsEntry } from '../../../bank/schemas/beneficiaries.ts';
import type { Order } from '../../../bank/schemas/orders.ts';
import { scopeText } from '../../../domain/authority.ts';
import { Problem } from '../../../domain/problem.ts';
import { MOMENT_MAX } from '../../../domain/time.ts';
import { seesAll } from '../may-see.ts';
import { operation, type Place, shortText, wholeNumber } from '../operation.ts';
import { ANY_ROLE, type CallerAccess } from '../route-access.ts';

const TAG = 'bank';
export const BANK_READING: CallerAccess = { roles: ['maker', 'approver', 'operator', 'auditor'], scope: 'each' };

export const ACCOUNTS = operation({
  method: 'GET',
  path: '/v1/accounts',
  tag: TAG,
  summary: 'Balances of a user, or of the institution',
  access: BANK_READING,
  input: z.strictObject({ uid: shortText.optional() }),
  answer: z.looseObject({ accounts: z.array(z.looseObject({ account_id: z.string() })) }),
  async run(place, { uid }): Promise<{ accounts: AccountBalance[] }> {
    assertOfScope(place, uid);
    const found = await place.readingBank(({ accounts }) =>
      uid === undefined ? accounts.master() : accounts.ofUser(uid),
    );
    const { accounts: ids, currencies } = place.caller.person?.scope ?? {};
    const isSeen = ({ account_id, currency }: AccountBalance): boolean =>
      (ids?.includes(account_id) ?? true) && (currencies?.includes(currency) ?? true);
    return { accounts: found.filter(isSeen) };
  },
});

const ofUser = { uid: shortText, currency: shortText.optional() };

export const BENEFICIARIES = operation({
  method: 'GET',
  path: '/v1/beneficiaries',
  tag: TAG,
  summary: 'The beneficiaries of a user',
  access: BANK_READING,
  input: z.strictObject(ofUser),
  answer: z.looseObject({ beneficiaries: z.array(z.looseObject({ id: z.string() })) }),
  async run(place, { uid, currency }): Promise<{ beneficiaries: Beneficiary[] }> {
    assertOfScope(place, uid, currency);
    const { beneficiaries } = await place.readingBank((bank) => bank.beneficiaries.listAll({ uid, currency }));
    const { currencies } = place.caller.person?.scope ?? {};
    return { beneficiaries: beneficiaries.filter((it) => currencies?.includes(it.currency) ?? true) };
  },
});

export const BANK_ORDERS = operation({
  method: 'GET',
  path: '/v1/orders',
  tag: TAG,
  summary: "The bank's orders of a user in one currency",
  access: BANK_READING,
  input: z.strictObject({
    uid: shortText,
    currency: shortText,
    from: wholeNumber(0, MOMENT_MAX).optional().describe('only orders made since, ms since the epoch'),
  }),
  answer: z.looseObject({ orders: z.array(z.looseObject({ order_id: z.string() })) }),
  async run(place, { uid, currency, from }): Promise<{ orders: Order[]; doubt: string | null }> {
    assertOfScope(place, uid, currency);
    const { pageSize } = place.config.settings;
    const { orders, doubt } = await place.readingBank((bank) =>
      bank.orders.listAll({ uid, currency, from }, { pageSize }),
    );
    const { accounts } = place.caller.person?.scope ?? {};
    const isSeen = ({ transaction_account: paid, sell_account: sold }: Order): boolean =>
      accounts === undefined || [paid, sold].some((id) => id !== undefined && accounts.includes(id));
    return { orders: orders.filter(isSeen), doubt: doubt ?? null };
  },
});

export const OFFER = operation({
  method: 'GET',
  path: '/v1/required-details',
  tag: TAG,
  summary: 'What the bank asks for of payees',
  access: { ...ANY_ROLE, scope: 'none' },
  input: z.strictObject({ currency: shortText.optional() }),
  answer: z.looseObject({ entries: z.array(z.looseObject({})) }),
  async run(place, { currency }): Promise<{ entries: RequiredDetailsEntry[] }> {
    // Commands that only list import this file, and must not load the client of the bank.
    const { bankOffer } = await import('../../../platform/open-bank.ts');
    return { entries: await place.readingBank((bank) => bankOffer(bank, currency)) };
  },
});

/** Throws a `Problem` for a user or a currency outside of the caller's scope; the institution is for callers without one. */
function assertOfScope({ caller }: Place, uid: string | undefined, currency?: string): void {
  const scope = caller.person?.scope ?? {};
  const { uids, currencies } = scope;
  const isTheirs = uid === undefined ? seesAll(caller) : (uids?.includes(uid) ?? true);
  if (isTheirs && (currency === undefined || (currencies?.includes(currency) ?? true))) return;
  throw new Problem('forbidden', 'outside-scope', 'This is outside your scope in the policy.', {
    hint: `It is: ${scopeText(scope)}.`,
  });
}

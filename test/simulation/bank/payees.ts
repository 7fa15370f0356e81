import type { BankBeneficiary } from '../../support/checker/observation.ts';

interface Payee {
  id: string;
  uid: string;
  currency: string;
  beneficiaryType: string;
  paymentType: string;
  createdAt: number;
  versions: { from: number; items: Record<string, string> }[];
}

/** The fields this bank asks for, for every currency and type. */
export const PAYEE_FIELDS = ['account_name', 'account_no', 'address_city'] as const;

/** Beneficiaries and how their details were over time. */
export class Payees {
  private readonly all: Payee[] = [];

  add(given: Omit<Payee, 'id' | 'versions'> & { items: Record<string, string> }): Payee {
    const { items, ...rest } = given;
    const payee = { ...rest, id: `ben-${this.all.length + 1}`, versions: [{ from: given.createdAt, items }] };
    this.all.push(payee);
    return payee;
  }

  byId(id: string): Payee | undefined {
    return this.all.find((payee) => payee.id === id);
  }

  ofUser(uid: string): Payee[] {
    return this.all.filter((payee) => payee.uid === uid);
  }

  /** Somebody changes a detail at the bank. */
  change(payee: Payee, items: Record<string, string>, at: number): void {
    payee.versions.push({ from: at, items: { ...itemsOf(payee), ...items } });
  }

  same(given: Omit<Payee, 'id' | 'versions' | 'createdAt'> & { items: Record<string, string> }): Payee | undefined {
    return this.all.find(
      (payee) =>
        payee.uid === given.uid &&
        payee.currency === given.currency &&
        payee.paymentType === given.paymentType &&
        PAYEE_FIELDS.every((name) => itemsOf(payee)[name] === given.items[name]),
    );
  }

  seen(): BankBeneficiary[] {
    return this.all.map(({ id, uid, createdAt, versions }) => ({ id, uid, createdAt, versions }));
  }
}

export const itemsOf = ({ versions }: Payee): Record<string, string> => versions.at(-1)?.items ?? {};

export function payeeRecord(payee: Payee): object {
  const { id, uid, currency, createdAt, beneficiaryType, paymentType } = payee;
  return {
    id,
    created_at: createdAt,
    uid,
    currency,
    payment_type: paymentType,
    beneficiary_type: beneficiaryType,
    items: itemsOf(payee),
  };
}

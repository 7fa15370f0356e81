import { decimalText } from './books.ts';
import { type BankSurroundings, ModelBank } from './model-bank.ts';
import { itemsOf } from './payees.ts';

/** Nobody is asked about a payee that was added so long ago. */
const LONG_KNOWN_MS = 400 * 24 * 3_600_000;

/**
 * Another customer of the bank, at the same address and with accounts and payees of the same ids: what a worker with the wrong
 * key sees. Money that leaves here is money that nobody has instructed.
 */
export class OtherTenant {
  readonly bank: ModelBank;

  constructor(surroundings: BankSurroundings, own: ModelBank, payouts: readonly { accepted: { currency: string } }[]) {
    this.bank = new ModelBank(surroundings, own.profile, 'other');
    for (const { accountId, uid, currency } of own.books.all()) {
      this.bank.books.open(accountId, uid, currency, 90_000_000n);
      this.bank.machine.note({
        reference: decimalText(7n, currency),
        type: 'PAYMENT',
        direct: 'OUT',
        uid,
        accountId,
        currency,
        amount: 7n,
      });
    }
    for (const uid of new Set(own.books.all().map((account) => account.uid))) {
      for (const payee of own.payees.ofUser(uid))
        this.bank.payees.add({ ...payee, createdAt: payee.createdAt - LONG_KNOWN_MS, items: itemsOf(payee) });
    }
    for (const { accepted } of payouts) this.bank.setFee(accepted.currency, '1', accepted.currency);
  }
}

import type { Bank } from './bank.ts';

/** The bank with shared reads of an account, a payee or a list of payees. */
export function withSharedReads(bank: Bank): Bank {
  const account = shared((id) => bank.accounts.get(id));
  const beneficiary = shared((id) => bank.beneficiaries.get(id));
  // Each new payee of a file needs the same list, which grows with every added payee.
  const payees = shared((key) => bank.beneficiaries.listAll(JSON.parse(key)));
  return {
    ...bank,
    // Reads with options are not shared: their caller may abort them.
    accounts: { ...bank.accounts, get: (id, options) => (options ? bank.accounts.get(id, options) : account(id)) },
    beneficiaries: {
      ...bank.beneficiaries,
      get: (id, options) => (options ? bank.beneficiaries.get(id, options) : beneficiary(id)),
      listAll: (query, options) =>
        options ? bank.beneficiaries.listAll(query, options) : payees(JSON.stringify(query)),
    },
  };
}

/** All who ask during a read share the next one, which begins after they have asked. So no answer is older than its question. */
export function shared<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();
  const begin = (id: string): Promise<T> => {
    next.delete(id);
    const call = read(id);
    underWay.set(id, call);
    // If a read is waiting, this one counts as running until that begins: otherwise a caller in between would begin a third.
    const end = () => void (next.has(id) || underWay.delete(id));
    call.then(end, end);
    return call;
  };
  return (id) => {
    const running = underWay.get(id);
    if (running === undefined) return begin(id);
    const again = () => begin(id);
    const waiting = next.get(id) ?? running.then(again, again);
    next.set(id, waiting);
    return waiting;
  };
}

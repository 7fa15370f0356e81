import type { Bank } from './bank.ts';

/**
 * The same bank, of which an account, a payee or a list of payees is read once for all who ask while it is being read: by the next
 * call, which begins when they have all asked. Nobody gets an answer that is older than the question.
 */
export function withSharedReads(bank: Bank): Bank {
  const account = shared((id) => bank.accounts.get(id));
  const beneficiary = shared((id) => bank.beneficiaries.get(id));
  // Each new payee of a file wants the same list, which grows with every one that is added.
  const payees = shared((key) => bank.beneficiaries.listAll(JSON.parse(key)));
  return {
    ...bank,
    // A read that somebody may end is nobody else's.
    accounts: { ...bank.accounts, get: (id, options) => (options ? bank.accounts.get(id, options) : account(id)) },
    beneficiaries: {
      ...bank.beneficiaries,
      get: (id, options) => (options ? bank.beneficiaries.get(id, options) : beneficiary(id)),
      listAll: (query, options) =>
        options ? bank.beneficiaries.listAll(query, options) : payees(JSON.stringify(query)),
    },
  };
}

function shared<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();
  const begin = (id: string): Promise<T> => {
    next.delete(id);
    const call = read(id).finally(() => underWay.delete(id));
    underWay.set(id, call);
    return call;
  };
  return (id) => {
    const running = underWay.get(id);
    if (running === undefined) return begin(id);
    const waiting =
      next.get(id) ??
      running.then(
        () => begin(id),
        () => begin(id),
      );
    next.set(id, waiting);
    return waiting;
  };
}

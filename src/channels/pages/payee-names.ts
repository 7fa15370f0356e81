import { payeeInFull, payeeText } from '../../reports/masked.ts';
import type { PayoutRecord } from '../../store/store.ts';
import type { Caller } from '../http/callers.ts';
import { maySeePayee } from '../http/may-see.ts';
import type { PagesGateway } from './sessions.ts';

/** The payee of each row, by its reference. */
export type PayeeNames = ReadonlyMap<string, string>;

/** In full for those who may see it (`maySeePayee`), otherwise masked. */
export async function payeeNamesOf(
  { store }: PagesGateway,
  caller: Caller,
  rows: readonly PayoutRecord[],
): Promise<PayeeNames> {
  const inFull = new Set(rows.filter((row) => maySeePayee(caller, row)));
  const asked = [...inFull].flatMap(({ uid, instruction: { beneficiary_id: payeeId } }) =>
    payeeId === undefined ? [] : [{ uid, payeeId }],
  );
  const known = new Map((await store.payeesOf(asked)).map((payee) => [keyOf(payee.uid, payee.payeeId), payee]));
  return new Map(
    rows.map((row) => {
      const { reference, uid, instruction } = row;
      if (!inFull.has(row)) return [reference, payeeText(row)];
      const seen = known.get(keyOf(uid, instruction.beneficiary_id ?? ''));
      const items = seen?.items ?? (seen?.name == null ? undefined : { account_name: seen.name });
      return [reference, payeeInFull(row, items)];
    }),
  );
}

const keyOf = (uid: string, payeeId: string): string => JSON.stringify([uid, payeeId]);

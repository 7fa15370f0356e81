import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import { claimRow } from '../../../src/files/intake/known-rows.ts';
import type { ClaimRow } from '../../../src/store/store.ts';

const PAYABLE: Omit<PayoutInstruction, 'id'> = {
  uid: 'u-1001',
  account_id: 'acc-u1001-usd',
  amount: '12.50',
  currency: 'USD',
  beneficiary_id: 'ben-u1001-usd-local',
};

/** Rows of a file as `run` claims them; row 1 is on line 2. */
export function claimRowsOf(...instructions: (Partial<PayoutInstruction> & { id: string })[]): ClaimRow[] {
  return instructions.map((instruction, index) =>
    claimRow({ row: index + 1, instruction: { ...PAYABLE, ...instruction } as PayoutInstruction }),
  );
}

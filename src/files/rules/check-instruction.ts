import { inFileOrder } from '../../domain/finding.ts';
import type { PayoutInstruction } from '../../domain/instruction.ts';
import type { PayoutKind } from '../../domain/names.ts';
import { present } from '../../domain/present.ts';
import { checkMove } from './check-move.ts';
import { RequiredDetailsPairs } from './column-rules.ts';
import { Rules } from './validate.ts';

/** Checks an instruction that did not come from a file; without required-details, fields of the payee are not checked. */
export function checkInstruction(
  instruction: PayoutInstruction,
  kind: PayoutKind = 'payout',
): { rule: string; message: string }[] {
  if (kind !== 'payout') {
    return checkMove(kind, instruction).map(({ column, rule, message }) => ({ rule: `${column}: ${rule}`, message }));
  }
  const text = present({ ...instruction });
  const columns = Object.keys(text).map((name) => ({ name, line: 1, row: 1 }));
  const pairs = new RequiredDetailsPairs();
  pairs.add(text);
  const rules = new Rules({ file: '', columns, pairs, firstOf: (_uid, _id, place) => place });
  const { findings } = rules.judge({ row: 1, line: 1, instruction: text });
  return inFileOrder([...rules.findings, ...findings]).map(({ column, rule, message }) => ({
    rule: column === null ? rule : `${column}: ${rule}`,
    message,
  }));
}

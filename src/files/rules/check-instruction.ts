import { inFileOrder } from '../../domain/finding.ts';
import { type PayoutInstruction, withoutBound } from '../../domain/instruction.ts';
import { present } from '../../domain/iterate.ts';
import type { PayoutKind } from '../../domain/names.ts';
import { RequiredDetailsPairs } from './column-rules.ts';
import { type Broken, checkRequired, checkValues, REQUIRED_COLUMNS } from './field-rules.ts';
import { Rules } from './validate.ts';

/** Checks an instruction that did not come from a file; without required-details, fields of the payee are not checked. */
export function checkInstruction(
  instruction: PayoutInstruction,
  kind: PayoutKind = 'payout',
): { rule: string; message: string }[] {
  if (kind !== 'payout') {
    return checkMove(kind, instruction).map(({ column, rule, message }) => ({ rule: `${column}: ${rule}`, message }));
  }
  const text = present({ ...withoutBound(instruction) });
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

/** A transfer between own accounts, or a stand-alone exchange. */
export type MoveKind = Exclude<PayoutKind, 'payout'>;

const OF_BOTH = [...REQUIRED_COLUMNS, 'to_account_id', 'note', 'reason', 'execute_on', 'expires_at', 'fee_cap'];
const FIELDS: Readonly<Record<MoveKind, ReadonlySet<string>>> = {
  transfer: new Set(OF_BOTH),
  exchange: new Set([...OF_BOTH, 'max_slippage', 'sell_currency', 'max_rate']),
};

/** Everything wrong with a transfer or exchange that can be known without the bank. */
export function checkMove(kind: MoveKind, instruction: PayoutInstruction): Broken[] {
  const strangers = Object.keys(instruction).filter((column) => !FIELDS[kind].has(column));
  const isItself = instruction.to_account_id !== undefined && instruction.to_account_id === instruction.account_id;
  return [
    ...strangers.map((column) => ({ column, rule: 'unknown-field', message: `not a field of ${NAMED[kind]}` })),
    ...checkRequired(instruction, [...REQUIRED_COLUMNS, 'to_account_id']),
    ...checkValues(instruction),
    ...(isItself ? [{ column: 'to_account_id', ...SAME_ACCOUNT }] : []),
  ];
}

const NAMED: Readonly<Record<MoveKind, string>> = { transfer: 'a transfer', exchange: 'an exchange' };

const SAME_ACCOUNT = { rule: 'same-account', message: 'both accounts are the same; name another account of the user' };

import type { Finding } from '../../../src/domain/finding.ts';
import { inFileOrder } from '../../../src/domain/finding.ts';
import type { PayoutInstruction } from '../../../src/domain/instruction.ts';
import type { RequiredDetailsOf } from '../../../src/files/rules/beneficiary-rules.ts';
import { RequiredDetailsPairs } from '../../../src/files/rules/column-rules.ts';
import type { ReadColumn, ReadRow } from '../../../src/files/rules/read-row.ts';
import { type Place, Rules } from '../../../src/files/rules/validate.ts';

/** A row that breaks no rule; blank fields are left out of its instruction. */
interface ValidRow {
  row: number;
  line: number;
  instruction: PayoutInstruction;
}

interface ToValidate {
  file: string;
  columns: readonly ReadColumn[];
  rows: readonly ReadRow[];
  requiredDetails?: RequiredDetailsOf;
}

export interface Validated {
  instructions: ValidRow[];
  findings: Finding[];
}

/** Every finding of rows at hand, in file order. */
export function validateRows({ rows, ...file }: ToValidate): Validated {
  const pairs = new RequiredDetailsPairs();
  for (const { instruction } of rows) pairs.add(instruction);
  const seen = new Map<string, Place>();
  const firstOf = (uid: string, id: string, place: Place): Place => {
    const key = JSON.stringify([uid, id]);
    const first = seen.get(key) ?? place;
    seen.set(key, first);
    return first;
  };
  const rules = new Rules({ ...file, pairs, firstOf });
  const findings = [...rules.findings];
  const instructions: ValidRow[] = [];
  for (const read of rows) {
    const judged = rules.judge(read);
    findings.push(...judged.findings);
    const valid = judged.findings.length === 0 && rules.findings.length === 0 && !read.unsound;
    if (valid) instructions.push({ row: read.row, line: read.line, instruction: judged.instruction });
  }
  return { instructions, findings: inFileOrder(findings) };
}

import type { Bank } from '../../api/bank.ts';
import { INSTRUCTION_FIELDS } from '../../domain/instruction.ts';
import { Problem } from '../../domain/problem.ts';
import { REASONS, type ReasonCode } from '../../domain/reasons.ts';
import { sampleValue } from '../../formats/template/sample-payee.ts';
import { fieldNames } from '../../formats/template/write-template.ts';
import { COLUMNS, type Column, FINDINGS_OF_EVERY_COLUMN, FINDINGS_OF_PAYEE_FIELDS } from '../../rules/columns.ts';
import { didYouMean } from '../../rules/nearest.ts';
import { REMEDIES } from '../../rules/remedies.ts';
import { RULES } from '../../rules/rules.ts';
import { bankOffer } from '../bank-offer.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { table } from '../table.ts';
import { withValidationBank } from '../validation-bank.ts';

/** What one name stands for: a column of ours, a rule of findings, a reason code, or a field of the bank. */
interface Explained {
  document: object;
  text: string;
}

/** `payouts explain [NAME]`: what a column, a rule or a reason code means; without a name, all of them. */
export async function explain(
  session: Session,
  name: string | undefined,
  { currency }: { currency: string | undefined },
): Promise<ExitCode> {
  if (name === undefined) {
    session.output.result(LIST.document, LIST.text);
    return EXIT.completed;
  }
  const own = [...column(name), ...rule(name), ...reason(name)];
  const found = own.length > 0 ? own : await withValidationBank(session, (bank) => bankField(bank, name, currency));
  const document = Object.assign({ schemaVersion: 1, name }, ...found.map((it) => it.document));
  session.output.result(document, found.map(({ text }) => text).join('\n\n'));
  return EXIT.completed;
}

function column(name: string): Explained[] {
  if (!isColumn(name)) return [];
  const { needed, meaning, rule, example, findings } = COLUMNS[name];
  const named = [...findings, ...FINDINGS_OF_EVERY_COLUMN].sort();
  const lines = [
    ['column', name],
    ['meaning', meaning],
    ['needed', needed],
    ['rule', rule],
    ['example', example],
    ['findings', named.join(', ')],
  ];
  return [{ document: { column: { needed, meaning, rule, example, findings: named } }, text: labelled(lines) }];
}

function rule(name: string): Explained[] {
  const text = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  if (text === undefined) return [];
  return [
    {
      document: { rule: text },
      text: labelled([
        ['finding', name],
        ['meaning', text],
      ]),
    },
  ];
}

function reason(name: string): Explained[] {
  if (!isReason(name)) return [];
  const lines = [
    ['reason', name],
    ['meaning', REASONS[name]],
    ['to do', REMEDIES[name]],
  ];
  return [{ document: { reason: { meaning: REASONS[name], remedy: REMEDIES[name] } }, text: labelled(lines) }];
}

async function bankField(bank: Bank, name: string, currency: string | undefined): Promise<Explained[]> {
  const entries = await bankOffer(bank, currency);
  const asked = entries.flatMap(({ currency, beneficiary_type, payment_type, fields }) =>
    fields
      .filter(({ field }) => field === name)
      .map((it) => ({
        currency,
        beneficiary_type,
        payment_type,
        required: it.required,
        data_type: it.data_type,
        regex: it.regex,
        example: sampleValue(it, currency) ?? null,
      })),
  );
  if (asked.length === 0) throw unknownName(name, fieldNames(entries));
  const rows = asked.map((it) => [
    it.currency,
    it.beneficiary_type,
    it.payment_type,
    it.required ? 'yes' : 'no',
    it.data_type,
    it.regex === '' ? 'none' : it.regex,
    it.example ?? 'none',
  ]);
  const head = ['currency', 'beneficiary', 'payment', 'required', 'data type', 'regex', 'example'];
  const findings = [...FINDINGS_OF_PAYEE_FIELDS, ...FINDINGS_OF_EVERY_COLUMN].sort();
  const lines = [
    ['field', name],
    ['meaning', "A payee's field, as the bank asks for it in these cases:"],
  ];
  const text = `${labelled(lines)}\n\n${table(head, rows)}\n\n${labelled([['findings', findings.join(', ')]])}`;
  return [{ document: { field: { asked, findings } }, text }];
}

function unknownName(name: string, fields: readonly string[]): Problem {
  const known = [...INSTRUCTION_FIELDS, ...Object.keys(RULES), ...Object.keys(REASONS), ...fields];
  return new Problem(
    'usage',
    'unknown-name',
    `"${name}" is no column, no field that the bank asks for, no rule and no reason code.`,
    { hint: `payouts explain lists them.${didYouMean(name, known)}` },
  );
}

const isColumn = (name: string): name is Column => Object.hasOwn(COLUMNS, name);
const isReason = (name: string): name is ReasonCode => Object.hasOwn(REASONS, name);

const labelled = (lines: readonly (readonly string[])[]): string =>
  lines.map(([label = '', text = '']) => `${label.padEnd(10)}${text === '' ? '-' : text}`).join('\n');

const LIST: Explained = {
  document: { schemaVersion: 1, columns: COLUMNS, rules: RULES, reasons: REASONS },
  text: [
    table(
      ['column', 'needed', 'meaning'],
      Object.entries(COLUMNS).map(([name, { needed, meaning }]) => [name, needed, meaning]),
    ),
    "The payee's own fields are the bank's: payouts explain FIELD.",
    `Rules of findings: ${Object.keys(RULES).join(', ')}`,
    `Reason codes: ${Object.keys(REASONS).join(', ')}`,
  ].join('\n\n'),
};

import type { RequiredDetailsEntry } from '../bank/schemas/beneficiaries.ts';
import { type LabelledText, labelledLines, widthOf } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { INSTRUCTION_FIELDS } from '../domain/instruction.ts';
import { didYouMean } from '../domain/nearest.ts';
import { Problem } from '../domain/problem.ts';
import { REASONS } from '../domain/reasons.ts';
import { INCIDENTS } from '../domain/reconciliation.ts';
import type { Actor, Remedy } from '../domain/remedy.ts';
import { COLUMNS, FINDINGS_OF_EVERY_COLUMN, FINDINGS_OF_PAYEE_FIELDS } from '../files/rules/input-columns.ts';
import { RULES } from '../files/rules/rules.ts';
import { fieldNames, sampleValue } from '../files/template/template.ts';
import { type Meaning, meaningOf, type RemedyMeaning, STATES } from '../reports/state-texts.ts';
import { table } from './output.ts';
import type { Session } from './session.ts';
import { offerOf } from './template-file.ts';

/** The meaning of a name: a column of ours, a finding, a state, a reason code, an incident, or a field of the bank. */
interface Explained {
  document: object;
  text: string;
}

export async function explain(
  session: Session,
  name: string | undefined,
  { currency }: { currency: string | undefined },
): Promise<void> {
  if (name === undefined) {
    session.output.result(LIST.document, LIST.text);
    return;
  }
  const own = ownMeanings(name);
  const found = own.length > 0 ? own : bankField(await offerOf(session, currency), name);
  const document = Object.assign({ name }, ...found.map((it) => it.document));
  session.output.result(document, found.map(({ text }) => text).join('\n\n'));
}

/** In the order of their parts. */
function ownMeanings(name: string): Explained[] {
  const { column, rule, state, reason, incident } = meaningOf(name);
  return [
    ...(column ? [{ document: { column }, text: columnText(name, column) }] : []),
    ...(rule === undefined ? [] : [{ document: { rule }, text: lines(['finding', name], ['meaning', rule]) }]),
    ...(state ? [{ document: { state }, text: stateText(name, state) }] : []),
    ...(reason ? [{ document: { reason }, text: remedyText('reason', name, reason) }] : []),
    ...(incident ? [{ document: { incident }, text: remedyText('incident', name, incident) }] : []),
  ];
}

const lines = (...labels: readonly LabelledText[]): string => labelled(labels);

const columnText = (name: string, { meaning, needed, rule, example, findings }: NonNullable<Meaning['column']>) =>
  lines(
    ['column', name],
    ['meaning', meaning],
    ['needed', needed],
    ['rule', rule],
    ['example', example],
    ['findings', findings.join(', ')],
  );

const stateText = (name: string, { meaning, needsAttention, byItself }: NonNullable<Meaning['state']>) =>
  lines(
    ['state', name],
    ['meaning', meaning],
    ['people', needsAttention ? 'yes; the reason says who: payouts inbox' : 'no'],
    ['otherwise', byItself],
  );

const remedyText = (what: 'reason' | 'incident', name: string, { meaning, who, remedy, byItself }: RemedyMeaning) =>
  lines([what, name], ['meaning', meaning], ['who', ACTORS[who]], ['to do', remedy], ['otherwise', byItself]);

const ACTORS: Readonly<Record<Actor, string>> = {
  approver: 'an approver other than the maker',
  compliance: 'somebody with the role compliance, other than the maker',
  operator: 'an operator',
  maker: 'the maker',
  outside: 'the bank, or the owner of the account',
  nobody: 'nobody has to',
};

function bankField(entries: readonly RequiredDetailsEntry[], name: string): Explained[] {
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
  const meaning = labelled([
    ['field', name],
    ['meaning', "A payee's field, which the bank asks for in these cases:"],
  ]);
  const text = `${meaning}\n\n${table(head, rows)}\n\n${labelled([['findings', findings.join(', ')]])}`;
  return [{ document: { field: { asked, findings } }, text }];
}

function unknownName(name: string, fields: readonly string[]): Problem {
  const known = [...INSTRUCTION_FIELDS, ...[RULES, STATES, REASONS, INCIDENTS].flatMap(Object.keys), ...fields];
  return new Problem(
    'usage',
    'unknown-name',
    `"${visible(name)}" is not a column, a field that the bank asks for, a finding, a state, a reason code or an incident.`,
    { hint: `payouts explain lists them.${didYouMean(name, known)}` },
  );
}

const labelled = (lines: readonly LabelledText[]): string =>
  labelledLines(lines, { labelWidth: 'otherwise  '.length, width: widthOf(process.stdout) }).join('\n');

const sentencesOf = (table: Readonly<Record<string, Remedy>>): Record<string, string> =>
  Object.fromEntries(Object.entries(table).map(([name, { says }]) => [name, says]));

const LIST: Explained = {
  document: {
    columns: COLUMNS,
    rules: RULES,
    states: STATES,
    reasons: sentencesOf(REASONS),
    incidents: sentencesOf(INCIDENTS),
  },
  text: [
    table(
      ['column', 'needed', 'meaning'],
      Object.entries(COLUMNS).map(([name, { needed, meaning }]) => [name, needed, meaning]),
    ),
    'The fields of a payee are defined by the bank: payouts explain FIELD.',
    `Findings: ${Object.keys(RULES).join(', ')}`,
    `States: ${Object.keys(STATES).join(', ')}`,
    `Reason codes: ${Object.keys(REASONS).join(', ')}`,
    `Incidents: ${Object.keys(INCIDENTS).join(', ')}`,
  ].join('\n\n'),
};

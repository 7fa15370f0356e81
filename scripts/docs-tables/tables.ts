import type { Command } from 'commander';
import { CODE_RULES, type KnownOutcome } from '../../src/bank/errors.ts';
import { ENVELOPE_CODES, type EnvelopeCode } from '../../src/bank/schemas/envelope.ts';
import { EXIT } from '../../src/cli/exit.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { ROLES } from '../../src/domain/authority.ts';
import { CARD_STATES, isCardEnd } from '../../src/domain/card-payment.ts';
import { EVENT_KINDS } from '../../src/domain/events-out.ts';
import { FAILURES } from '../../src/domain/failures.ts';
import { CHECK_KINDS, type CheckKind, type CheckVerdict, FLAGS, objectionOf } from '../../src/domain/payee.ts';
import { needsAttention, SHOWN_STATES, visibleState } from '../../src/domain/payout-state.ts';
import { CARD_REASONS } from '../../src/domain/reasons/card-reasons.ts';
import { PAYOUT_REASONS } from '../../src/domain/reasons/payout-reasons.ts';
import { REASONS, type ReasonCode, SEARCHED_IN_VAIN } from '../../src/domain/reasons.ts';
import { INCIDENTS } from '../../src/domain/reconciliation.ts';
import type { Remedy } from '../../src/domain/remedy.ts';
import { DISCREPANCIES } from '../../src/domain/statements/discrepancies.ts';
import { type BankCondition, refusalMeaning } from '../../src/domain/submission.ts';
import { ABA_FIELDS } from '../../src/files/aba/aba-fields.ts';
import type { RecordFields } from '../../src/files/fixed-width/records.ts';
import { MAPPING_FILE } from '../../src/files/messages/mapping.ts';
import { NACHA_FIELDS } from '../../src/files/nacha/nacha-fields.ts';
import { FIELDS } from '../../src/files/pain001/pain001-fields.ts';
import { COLUMNS as INPUT_COLUMNS } from '../../src/files/rules/input-columns.ts';
import { TABLE_FIELDS, type TableField } from '../../src/files/table-fields.ts';
import { POLICY_FILE } from '../../src/people/policy-file.ts';
import { SUBSCRIPTIONS_FILE } from '../../src/platform/config/events.ts';
import { HOLDINGS, PROCESSES, type Process } from '../../src/platform/config/holdings.ts';
import type { Keys } from '../../src/platform/config/key.ts';
import { CONFIG_KEYS, SETTING_GROUPS } from '../../src/platform/config.ts';
import { createMetrics } from '../../src/platform/telemetry/metrics.ts';
import { JOURNAL_COLUMNS } from '../../src/reports/erp-file.ts';
import { STAGES } from '../../src/reports/pain002/status-report.ts';
import { ISO_REASONS } from '../../src/reports/pain002/write-pain002.ts';
import { COLUMNS as REPORT_COLUMNS } from '../../src/reports/report-columns.ts';
import { SENTINELS } from '../../src/sandbox/bank/order-machine.ts';
import { LAST_WORDS } from '../../src/sandbox/check-provider.ts';
import { testsNamed } from './failure-table.ts';
import { gaps } from './gaps.ts';
import { code, type Rows, rowsBelow, textOf } from './pages.ts';
import { CARD_ROUTES } from './routes.ts';

/** Of a file that people write: its members, and what the page says of each. */
const members =
  (shape: object): Rows =>
  ({ words }) =>
    Object.keys(shape).map((name) => [code(name), words(code(name), 1)]);

/** Those that are tried by tests. */
const FOOTHOLDS = rowsBelow(textOf('test/docs/security-points.md'), '| an attacker who |').map(([who = '']) => who);

const METRICS = createMetrics({ ofProcess: false }).registry.getMetricsAsArray();
const ALARMS = [...textOf('ops/alarms.yml').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

/** A table for each subject: `settings-home-and-store`. */
const SETTINGS = Object.fromEntries(
  Object.entries<Keys>(SETTING_GROUPS).map(([group, keys]): [string, Rows] => [
    `settings-${group.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`,
    () =>
      Object.entries(keys).map(([name, { schema, default: preset, meaning }]) => [
        code(name),
        preset === null ? 'none' : preset === '' ? 'empty' : code(preset),
        `${'options' in schema ? `${anyOf(schema.options as string[])}: ` : ''}${meaning}`,
      ]),
  ]),
);

const GAPS = ['authentication', 'orders', 'money', 'beneficiaries', 'limits', 'messages', 'cards'];

/** The tables of docs/*.md by the names in their marks. */
export const TABLES: Readonly<Record<string, Rows>> = {
  ...SETTINGS,
  ...Object.fromEntries(GAPS.map((subject) => [`gaps-${subject}`, gaps])),
  states: ({ words }) =>
    SHOWN_STATES.map((state) => [
      code(state),
      code(state === 'returned' ? 'completed' : visibleState(state)),
      yes(needsAttention(state), 'no'),
      words(code(state), 3),
    ]),
  held: ({ words }) =>
    Object.entries<Remedy>(PAYOUT_REASONS)
      .filter(([name, { who }]) => (who === 'approver' || who === 'compliance') && !NOT_HELD.has(name))
      .map(([name, { approvalOnlyChecks }]) => [
        code(name),
        words(code(name), 1),
        approvalOnlyChecks ? 'checks again' : words(code(name), 2),
      ]),
  'needs-operator': () => forOperators({ ...PAYOUT_REASONS, 'outcome-unknown': SEARCHED_IN_VAIN }),
  'card-reasons': () => forOperators(CARD_REASONS),
  incidents: ({ words }) =>
    Object.entries(INCIDENTS).map(([kind, { says }]) => [code(kind), says, words(code(kind), 2)]),
  'envelope-codes': () =>
    Object.entries(CODE_RULES).map(([number, { condition, onSubmit, retryRead }]) => [
      number,
      ENVELOPE_CODES[Number(number) as EnvelopeCode],
      code(condition),
      onSubmit,
      yes(retryRead, 'no'),
      whatFollows(condition, onSubmit),
    ]),
  failures: ({ rows }) =>
    rows.map(([step = '', what = '', then = '', tests = '']) => [step, what, then, testsNamed(tests)]),
  'failure-types': ({ words }) => Object.values(FAILURES).map((type) => [code(type), words(code(type), 1)]),
  reasons: () => Object.entries(REASONS).map(([name, { says }]) => [code(name), says]),
  'iso-reasons': () =>
    Object.entries(Object.groupBy(ISO_REASONS, ([, iso]) => iso))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([iso, names = []]) => [iso, names.map(([name]) => code(name)).join(', ')]),
  commands: () =>
    buildProgram(async () => {}).commands.map((command) => [
      code(usageOf(command)),
      command.description(),
      command.commands.map((it) => code(it.name())).join(', '),
    ]),
  'exit-codes': ({ words }) => Object.values(EXIT).map((exit) => [String(exit), words(String(exit), 1)]),
  'input-columns': () =>
    Object.entries(INPUT_COLUMNS).map(([name, { needed, meaning, rule, example }]) => [
      code(name),
      needed,
      meaning,
      rule,
      example === '' ? '' : code(example),
    ]),
  'pain-fields': () =>
    Object.entries(FIELDS).flatMap(([part, fields]) =>
      Object.entries(fields).map(([path, { carried = '', notCarried = '', refused = '' }]) => [
        code([part, path].filter(Boolean).join('/')),
        carried,
        notCarried,
        refused,
      ]),
    ),
  'table-fields': () =>
    Object.values<TableField>(TABLE_FIELDS).map(({ of = 'all', name, carried = '', warns, refuses = [] }) => [
      of,
      name,
      carried,
      warns === undefined ? '' : code(warns.rule),
      ('rule' in refuses ? [refuses.rule] : refuses).map(code).join(', '),
    ]),
  'nacha-fields': () => fixedFields(NACHA_FIELDS),
  'aba-fields': () => fixedFields(ABA_FIELDS),
  'report-columns': () => REPORT_COLUMNS.map(({ name, meaning }) => [code(name), meaning]),
  events: () => Object.entries(EVENT_KINDS).map(([kind, when]) => [code(kind), when]),
  'card-states': ({ words }) =>
    CARD_STATES.filter((state) => state !== 'received' && !isCardEnd(state)).map((state) => [
      code(state),
      words(code(state), 1),
      words(code(state), 2),
    ]),
  'card-routes': ({ words }) => CARD_ROUTES.map(({ route, by }) => [code(route), by, words(code(route), 2)]),
  'webhook-schemes': ({ words }) =>
    CONFIG_KEYS.PAYOUTS_WEBHOOK_SCHEME.schema.options.map((scheme) => [code(scheme), words(code(scheme), 1)]),
  'policy-file': members(POLICY_FILE.shape),
  'policy-people': members(POLICY_FILE.shape.people.element.shape),
  'policy-approvals': members(POLICY_FILE.shape.approvals.unwrap().element.shape),
  subscriptions: members(SUBSCRIPTIONS_FILE.shape.subscriptions.element.shape),
  'mapping-file': members(MAPPING_FILE.shape),
  'journal-columns': ({ words }) => JOURNAL_COLUMNS.map((name) => [code(name), words(code(name), 1)]),
  footholds: ({ words }) => FOOTHOLDS.map((who) => [who, words(who, 1), words(who, 2)]),
  roles: ({ words }) => ROLES.map((role) => [code(role), words(code(role), 1)]),
  'answer-stages': ({ words }) => STAGES.map((stage) => [code(stage), words(code(stage), 1), words(code(stage), 2)]),
  discrepancies: () =>
    Object.values(DISCREPANCIES).map(({ says, incident }) => [says, incident === undefined ? '' : code(incident)]),
  verdicts: () =>
    CHECK_KINDS.flatMap((kind) =>
      VERDICTS[kind].map((verdict) => {
        const reason = objectionOf({ kind, verdict });
        return [kind, code(verdict), reason === undefined ? '' : code(reason), accepting(reason)];
      }),
    ),
  flags: () => Object.entries(FLAGS).map(([flag, says]) => [code(flag), says]),
  'sandbox-payees': () => Object.entries(LAST_WORDS).map(([word, { says }]) => [code(word), says]),
  'sandbox-notes': () => Object.entries(SENTINELS).map(([note, { says }]) => [code(note), says]),
  metrics: ({ words }) =>
    METRICS.map((metric) => code(`${metric.name}${labelsOf(metric)}`)).map((name) => [name, words(name, 1)]),
  alarms: ({ words }) => ALARMS.map((name) => [code(name), words(code(name), 1)]),
  secrets: () =>
    Object.entries(HOLDINGS).map(([name, { allows, needs }]) => [
      code(name),
      allows,
      ...Object.keys(PROCESSES).map((it) => yes(needs.includes(it as Process), '')),
    ]),
};

const fixedFields = (records: Readonly<Record<string, RecordFields>>): string[][] =>
  Object.entries(records).flatMap(([record, fields]) =>
    Object.values(fields).map(({ columns: [from, to], name, carried = '', notCarried = '', refused = '' }) => [
      record,
      from === to ? `${from}` : `${from} to ${to}`,
      name,
      carried,
      notCarried,
      refused,
    ]),
  );

/** `{state,since}` */
const labelsOf = (metric: object): string =>
  'labelNames' in metric && Array.isArray(metric.labelNames) && metric.labelNames.length > 0
    ? `{${metric.labelNames.join()}}`
    : '';

const yes = (is: boolean, otherwise: string): string => (is ? 'yes' : otherwise);

function anyOf(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words.map(code));
}

/** What people decide that is no hold, or is in docs/cards.md. */
const NOT_HELD: ReadonlySet<string> = new Set<ReasonCode>([
  'approval-required',
  'bank-approval-required',
  'card-payment-contradicted',
]);

const forOperators = (reasons: Readonly<Record<string, Remedy>>): string[][] =>
  Object.entries(reasons)
    .filter(([name, { who }]) => who === 'operator' && !NOT_UNDECIDED.has(name))
    .map(([name, { says, todo }]) => [code(name), says, todo]);

/** Its outcome is known to the bank only; it is shown to operators, but in the state `processing`. */
const NOT_UNDECIDED: ReadonlySet<string> = new Set<ReasonCode>(['slower-than-others']);

const VERDICTS: Readonly<Record<CheckKind, readonly CheckVerdict[]>> = {
  verification: ['match', 'close-match', 'no-match', 'not-available'],
  screening: ['clear', 'hit', 'not-available'],
};

function accepting(reason: ReasonCode | undefined): string {
  if (reason === undefined) return '';
  return REASONS[reason].who === 'compliance' ? `somebody with the role ${code('compliance')}` : 'an approver';
}

/** What a payout does when its submit got the code and no earlier attempt is in doubt. */
function whatFollows(condition: BankCondition, outcome: KnownOutcome): string {
  if (outcome !== 'refused') return 'searches for the order';
  const meaning = refusalMeaning(condition);
  switch (meaning.kind) {
    case 'fail':
      return `ends ${code('failed')}, reason ${code(meaning.reason)}`;
    case 'hold':
      return `waits in ${code('held')}, reason ${code(meaning.reason)}`;
    case 'await-funds':
      return `waits in ${code('awaiting-funds')}`;
  }
}

/** `accounts [UID]` */
const usageOf = (command: Command): string =>
  [
    command.name(),
    ...command.registeredArguments.map((it) => (it.required ? it.name() : `[${it.name()}]`).toUpperCase()),
  ].join(' ');

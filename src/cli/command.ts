import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { holdsCardNumber } from '../domain/card-number.ts';
import { labelled, widthOf, wrap } from '../domain/display.ts';
import { SHOWN_STATES, type ShownState } from '../domain/payout-state.ts';
import { Problem } from '../domain/problem.ts';
import { isReasonCode } from '../domain/reasons.ts';
import { DAY_MS, midnightOf } from '../domain/time.ts';
import { answerOrRefuse } from './confirm.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Session } from './session.ts';

// A command is one definition: what is typed, its options and examples, and its action. Definitions are light; an action's module
// is loaded when the command runs, so that help and completion load none. Types go from the options into the action: an option
// that the action does not take, or that it needs and is not given, does not compile.

/** An option; `Given` is what it adds to the options of the action. */
type Typed<Given> = Option & { readonly given: Given; readonly asked?: string };

/** An argument that has a text or choices of its own. */
type TypedArgument<Value> = Argument & { readonly value: Value };

interface Settings {
  /** Throws commander's error, which names the option. */
  parse?: (text: string) => unknown;
  choices?: readonly string[];
  default?: unknown;
  /** How help shows the default. */
  defaultText?: string;
  required?: true;
  /** What a terminal is asked where it is not given. Without a terminal it is required. */
  asked?: string;
  /** Name of an option that cannot be given with this one. */
  conflicts?: string;
}

type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

type KeyOf<Flags extends string> = Flags extends `--no-${infer Name}`
  ? Camel<Name>
  : Flags extends `--${infer Name} ${string}`
    ? Camel<Name>
    : Flags extends `--${infer Name}`
      ? Camel<Name>
      : never;

type ValueOf<Flags extends string, S> = S extends { parse: (text: string) => infer Value }
  ? Value
  : S extends { choices: readonly unknown[] }
    ? ChoiceOf<S>
    : Flags extends `${string}<${string}`
      ? string
      : S extends { default: unknown }
        ? boolean
        : true;

type GivenBy<Flags extends string, S> = Flags extends `--no-${string}`
  ? { [Key in KeyOf<Flags>]: boolean }
  : S extends { default: unknown } | { required: true } | { asked: string }
    ? { [Key in KeyOf<Flags>]: ValueOf<Flags, S> }
    : { [Key in KeyOf<Flags>]: ValueOf<Flags, S> | undefined };

/** An option from its flags, `--dry-run` or `--timeout <duration>`. */
export function option<const Flags extends string, const S extends Settings = object>(
  flags: Flags,
  description: string,
  settings?: S & { default?: ValueOf<Flags, S> },
): Typed<GivenBy<Flags, S>> {
  const { parse, choices, default: value, defaultText, required, asked, conflicts }: Settings = settings ?? {};
  const made = new Option(flags, description);
  if (parse !== undefined) made.argParser(parse);
  if (choices !== undefined) made.choices(choices);
  if (value !== undefined) made.default(value, defaultText);
  if (required === true) made.makeOptionMandatory();
  if (conflicts !== undefined) made.conflicts(conflicts);
  return Object.assign(made, asked !== undefined && { asked }) as unknown as Typed<GivenBy<Flags, S>>;
}

type ChoiceOf<S> = S extends { choices: readonly (infer Choice)[] } ? Choice : string;
type ArgumentValue<Name extends string, S> =
  | ChoiceOf<S>
  | (Name extends `<${string}` ? never : S extends { default: unknown } ? never : undefined);

/** An argument behind those of the usage: `<shell>`, or `[kind]` where it may be left out. */
export function argument<const Name extends string, const S extends Pick<Settings, 'choices' | 'default'> = object>(
  name: Name,
  description: string,
  settings?: S & { default?: ChoiceOf<S> },
): TypedArgument<ArgumentValue<Name, S>> {
  const { choices, default: value }: Settings = settings ?? {};
  const made = new Argument(name, description);
  if (choices !== undefined) made.choices(choices);
  if (value !== undefined) made.default(value);
  return made as TypedArgument<ArgumentValue<Name, S>>;
}

type Word<Text extends string> = Text extends `[${string}...]`
  ? [string[]]
  : Text extends `<${string}>`
    ? [string]
    : Text extends `[${string}]`
      ? [string?]
      : [];
type UsageValues<Usage extends string> = Usage extends `${infer First} ${infer Rest}`
  ? [...Word<First>, ...UsageValues<Rest>]
  : Word<Usage>;
type ArgumentValues<Arguments> = Arguments extends readonly [TypedArgument<infer Value>, ...infer Rest]
  ? [Value, ...ArgumentValues<Rest>]
  : [];
type Given<Options> = Options extends readonly [Typed<infer First>, ...infer Rest] ? First & Given<Rest> : unknown;

/** The last parameter, or that before commander's command. */
type Taken<Parameters> = Parameters extends [...unknown[], infer Options, Command]
  ? Options
  : Parameters extends [...unknown[], infer Options]
    ? Options
    : never;
/** Names of options that the action does not take. */
type NotTaken<Options, Action extends (...given: never[]) => unknown> = Exclude<
  keyof Given<Options>,
  keyof Taken<Required<Parameters<Action>>>
>;

/** A command that returns nothing has succeeded. */
type Answer = Promise<ExitCode> | Promise<void> | ExitCode | void;

interface Shown {
  examples: readonly Example[];
  /** Behind the options in its help. */
  afterHelp?: string | (() => string);
  /** It runs, keeps or checks an installation: it needs store, bank and Temporal itself, and does nothing through a gateway. */
  inPlaceOnly?: true;
  /** It is meant where only the name of its group is typed. */
  isDefault?: true;
}

export interface Definition extends Shown {
  usage: string;
  description: string;
  arguments?: readonly Argument[];
  options?: readonly (Option & { readonly asked?: string })[];
  first?: readonly unknown[];
  action: () => Promise<(session: Session, ...given: never[]) => Answer>;
}

/** Commands below one word: `schedule create`. */
export interface Group {
  usage: string;
  description: string;
  examples: readonly Example[];
  commands: readonly Definition[];
}

/**
 * The definition of a command. `usage` is its name and its arguments: `approve <id>`. `action` loads its function, which gets the
 * session, `first`, the arguments, the options and commander's command.
 */
export function command<
  const Usage extends string,
  Action extends (
    session: Session,
    ...given: [...First, ...UsageValues<Usage>, ...ArgumentValues<Arguments>, Given<Options>, Command]
  ) => Answer,
  const Arguments extends readonly TypedArgument<unknown>[] = [],
  const Options extends readonly Typed<unknown>[] = [],
  const First extends readonly unknown[] = [],
>(
  usage: Usage,
  description: string,
  more: Shown & { arguments?: Arguments; options?: Options; first?: First; action: () => Promise<Action> } & ([
      NotTaken<Options, Action>,
    ] extends [never]
      ? unknown
      : { optionsNotTaken: NotTaken<Options, Action> }),
): Definition {
  return { usage, description, ...more } as unknown as Definition;
}

export const group = (usage: string, description: string, more: Pick<Group, 'examples' | 'commands'>): Group => ({
  usage,
  description,
  ...more,
});

/** Options of every command. */
interface CommonOptions {
  profile?: string;
}

/** Runs the action of a command in its own session. */
export type Perform = (
  action: (session: Session) => Promise<ExitCode>,
  command: Definition,
  options: CommonOptions,
) => Promise<void>;

/** Adds commands to commander's `parent`; their actions are run by `perform`. */
export function addCommands(parent: Command, all: readonly (Definition | Group)[], perform: Perform): void {
  for (const it of all) {
    const added = 'commands' in it ? parent.command(it.usage) : addCommand(parent, it, perform);
    added.description(it.description).addHelpText('before', () => examplesText(it.examples));
    if ('commands' in it) addCommands(added, it.commands, perform);
  }
}

/** Asks for what a command needs and was not given. */
async function askMissing(options: NonNullable<Definition['options']>, given: Command): Promise<void> {
  for (const option of options) {
    const key = option.attributeName();
    if (option.asked === undefined || given.getOptionValue(key) !== undefined) continue;
    given.setOptionValue(key, storableText(await answerOrRefuse(option.asked, option.long ?? '')));
  }
}

function addCommand(parent: Command, definition: Definition, perform: Perform): Command {
  const { usage, options = [], afterHelp, isDefault = false, first = [], action } = definition;
  const added = parent
    .command(usage, { isDefault })
    .option('--json', 'print one JSON document on stdout, also for errors')
    .option('--quiet', 'print only errors and questions on stderr')
    .option('--profile <name>', 'profile of the configuration file (default: PAYOUTS_PROFILE)');
  for (const it of options) added.addOption(it);
  for (const it of definition.arguments ?? []) added.addArgument(it);
  if (afterHelp !== undefined)
    added.addHelpText('after', () => (typeof afterHelp === 'string' ? afterHelp : afterHelp()));
  return added.action((...given: unknown[]) =>
    perform(
      async (session) => {
        await askMissing(options, added);
        const act = await action();
        return (await act(session, ...([...first, ...given] as never[]))) ?? EXIT.completed;
      },
      definition,
      added.opts<CommonOptions>(),
    ),
  );
}

/** A line to type, and what it does. A test parses every line. */
export type Example = readonly [line: string, does: string];

/** The program (path '') and all its commands, each with its words, `switch off`. */
export function commandsOf(command: Command, path = ''): [string, Command][] {
  const below = command.commands.flatMap((it) => commandsOf(it, `${path} ${it.name()}`.trim()));
  return [[path, command], ...below];
}

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  completed: 'all completed',
  internal: 'internal error',
  usage: 'usage or configuration',
  invalidInput: 'input invalid, nothing sent',
  authentication: 'the bank refused the key',
  exceptions: 'finished with rows that are not completed, or with incidents',
  stillOpen: 'still open at --timeout; without a terminal also once everything open waits for people',
  unreachable: 'Temporal, the bank or the store cannot be reached',
  alreadyTaken: 'these payouts were already taken; nothing sent',
  interrupted: 'interrupted; payouts continue',
};

/** Behind the help of a command whose exit code is that of its payouts. */
export const exitCodes = (width: number = widthOf(process.stdout)): string =>
  [
    '',
    'Exit codes:',
    ...Object.entries(EXIT).flatMap(([name, exit]) =>
      labelled(String(exit), MEANINGS[name as keyof typeof EXIT], { indent: 2, labelWidth: 5, width }),
    ),
  ].join('\n');

/** Before the usage. What each does is beside it or, where that is too wide, below; a line to paste is never broken. */
export function examplesText(examples: readonly Example[], width = widthOf(process.stdout)): string {
  const longest = Math.max(...examples.map(([line]) => line.length));
  const beside = examples.map(([line, does]) => `  ${line.padEnd(longest)}  ${does}`);
  const below = examples.flatMap(([line, does]) => [
    `  ${line}`,
    ...wrap(does, width - 6).map((part) => `      ${part}`),
  ]);
  const fits = beside.every(({ length }) => length <= width);
  return ['Examples:', ...(fits ? beside : below), ''].join('\n');
}

// Parsers for option values. Each throws commander's error, which names the option, unless it says otherwise.

/** Words that commands are printed with where somebody has to fill something in. */
const PLACEHOLDERS: readonly string[] = ['NAME', 'TEXT', 'ORDER', 'REASON'];

/** Text that is stored and shown to people; no word that stands for one. Throws a `Problem`: commander's own error would repeat the text. */
export function storableText(text: string): string {
  if (PLACEHOLDERS.includes(text.trim())) {
    throw new Problem('usage', 'placeholder', `${text.trim()} stands for what you have to fill in.`, {
      hint: text.trim() === 'NAME' ? 'Give your own name.' : 'Write what is to be recorded, and an id as it is.',
    });
  }
  if (!holdsCardNumber(text) && !/\p{Cc}/u.test(text)) return text;
  throw new Problem('usage', 'text-refused', 'Stored text must not contain a card number or control characters.', {
    hint: 'Remove the number from names, reasons and evidence, and write them on one line.',
  });
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}

const numberIn = (least: number, most: number, rule: string) => (text: string) => {
  const value = wholeNumber(text);
  if (value < least || value > most) throw new InvalidArgumentError(rule);
  return value;
};

export const port = numberIn(0, 65_535, 'a port is a number from 0 to 65535');
export const canary = numberIn(1, Number.POSITIVE_INFINITY, 'must be at least one row');
export const days = numberIn(1, 3_650, '1 to 3650 days');
export const year = numberIn(2024, 2099, 'a year from 2024 to 2099');

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** In milliseconds, from texts like `90s`, `10m`, `2h`. */
export function duration(text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (match === null) throw new InvalidArgumentError('a duration is a number with a unit: 90s, 10m, 2h');
  return Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1);
}

/** Numbers of data rows, from a text like `3,7-9`. */
export function rowNumbers(text: string): ReadonlySet<number> {
  const rows = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(part.trim());
    const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
    if (!(first >= 1 && first <= last))
      throw new InvalidArgumentError('rows are numbers from 1 on, or ranges from low to high: 3,7-9');
    for (let row = first; row <= last; row += 1) rows.add(row);
  }
  return rows;
}

/** States of payouts, from a text like `held,needs-operator`. */
export function payoutStates(text: string): readonly ShownState[] {
  return text.split(',').map((part) => {
    const state = SHOWN_STATES.find((it) => it === part.trim());
    if (state === undefined) throw new InvalidArgumentError(`the states are ${SHOWN_STATES.join(', ')}`);
    return state;
  });
}

/** The first moment of a day in UTC, in epoch ms; the day is a date, `today` or `yesterday`. */
export function dayStart(text: string): number {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  if (text === 'today') return today;
  if (text === 'yesterday') return today - DAY_MS;
  const at = midnightOf(text);
  if (at !== undefined) return at;
  throw new InvalidArgumentError('a day is a date of the calendar such as 2026-03-31, today or yesterday');
}

/** The first moment after a day in UTC, in epoch ms. */
export const dayEnd = (text: string): number => dayStart(text) + DAY_MS;

/** One day, or the first and the last day of a range: `2026-03-01..2026-03-31`. */
export function dayRange(text: string): { from: number; to: number } {
  const [first = '', last = first, ...more] = text.split('..');
  const range = { from: dayStart(first), to: dayEnd(last) };
  if (more.length === 0 && range.from < range.to) return range;
  throw new InvalidArgumentError('days are one day, or FIRST..LAST');
}

/** Reason codes of rows that wait for people: `look-alike,fee-above-cap`. */
export function waitKinds(text: string): readonly string[] {
  return text.split(',').map((part) => {
    const kind = part.trim();
    if (isReasonCode(kind)) return kind;
    throw new InvalidArgumentError('a kind is a reason code, as `payouts inbox` shows in brackets');
  });
}

// Options of more than one command.

export const KEY = option('--key <file>', 'your key, if the policy requires signatures (default: PAYOUTS_SIGNING_KEY)');
export const BY = option('--by <name>', 'your name (default: the user of this machine)', { parse: storableText });
export const MAKER = option('--by <name>', 'name of the maker', { parse: storableText });
export const TIMEOUT = option('--timeout <duration>', 'stop following after this long, e.g. 90s or 10m', {
  parse: duration,
});
/** Of a command that asks before it acts, and is given a name in which it does. */
export const CONFIRMED = [option('--yes', 'skip the confirmation', { default: false }), BY] as const;
/** The same, signed where a policy asks for that. */
export const SIGNED = [...CONFIRMED, KEY] as const;

/** Of an operator's decision about a payout or a card payment. */
export const EVIDENCE = option('--evidence <text>', 'the evidence for the decision', {
  parse: storableText,
  asked: 'What shows that this is right?',
});

// What arguments and options choose from.

export const namesIn = <Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] =>
  Object.keys(table) as Name[];

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

export const TEMPLATES = ['csv', 'xlsx', 'json', 'pain.001', 'payees', 'mapping'] as const;
export type TemplateKind = (typeof TEMPLATES)[number];

/** Values of `doctor --accept`: what belongs to a store's identity and may change without the store being the wrong one. */
export const ACCEPTABLE = {
  bank: ['bank'],
  accounts: ['accounts', 'key'],
  key: ['key'],
  temporal: ['cluster', 'namespace'],
} as const;

import { Argument, type Command, Option } from 'commander';
import { EXIT, type ExitCode } from './exit.ts';
import { type Example, examplesText } from './help.ts';
import type { Session } from './session.ts';

// A command is one definition: what is typed, its options and examples, and its action. Definitions are light; an action's module
// is loaded when the command runs, so that help and completion load none. Types go from the options into the action: an option
// that the action does not take, or that it needs and is not given, does not compile.

/** An option; `Given` is what it adds to the options of the action. */
type Typed<Given> = Option & { readonly given: Given };

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
  : S extends { default: unknown } | { required: true }
    ? { [Key in KeyOf<Flags>]: ValueOf<Flags, S> }
    : { [Key in KeyOf<Flags>]: ValueOf<Flags, S> | undefined };

/** An option from its flags, `--dry-run` or `--timeout <duration>`. */
export function option<const Flags extends string, const S extends Settings = object>(
  flags: Flags,
  description: string,
  settings?: S & { default?: ValueOf<Flags, S> },
): Typed<GivenBy<Flags, S>> {
  const { parse, choices, default: value, defaultText, required, conflicts }: Settings = settings ?? {};
  const made = new Option(flags, description);
  if (parse !== undefined) made.argParser(parse);
  if (choices !== undefined) made.choices(choices);
  if (value !== undefined) made.default(value, defaultText);
  if (required === true) made.makeOptionMandatory();
  if (conflicts !== undefined) made.conflicts(conflicts);
  return made as Typed<GivenBy<Flags, S>>;
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

type Word<Text extends string> = Text extends `<${string}>` ? [string] : Text extends `[${string}]` ? [string?] : [];
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
  options?: readonly Option[];
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

/** Runs the action of a command in its own session. */
export type Perform = (action: (session: Session) => Promise<ExitCode>, command: Definition) => Promise<void>;

/** Adds commands to commander's `parent`; their actions are run by `perform`. */
export function addCommands(parent: Command, all: readonly (Definition | Group)[], perform: Perform): void {
  for (const it of all) {
    const added = 'commands' in it ? parent.command(it.usage) : addCommand(parent, it, perform);
    added.description(it.description).addHelpText('before', () => examplesText(it.examples));
    if ('commands' in it) addCommands(added, it.commands, perform);
  }
}

function addCommand(parent: Command, definition: Definition, perform: Perform): Command {
  const { usage, options = [], afterHelp, isDefault = false, first = [], action } = definition;
  const added = parent
    .command(usage, { isDefault })
    .option('--json', 'print one JSON document on stdout, also for errors')
    .option('--quiet', 'print only errors and questions on stderr');
  for (const it of options) added.addOption(it);
  for (const it of definition.arguments ?? []) added.addArgument(it);
  if (afterHelp !== undefined)
    added.addHelpText('after', () => (typeof afterHelp === 'string' ? afterHelp : afterHelp()));
  return added.action((...given: unknown[]) =>
    perform(async (session) => {
      const act = await action();
      return (await act(session, ...([...first, ...given] as never[]))) ?? EXIT.completed;
    }, definition),
  );
}

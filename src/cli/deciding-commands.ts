import { Argument, type Command, Option } from 'commander';
import { MESSAGES } from '../domain/names.ts';
import { RESOLVE_ACTIONS } from '../domain/resolve-action.ts';
import { SWITCH_SCOPES } from '../domain/switch-scope.ts';
import { days, keptText, waitKinds } from './arguments.ts';
import { KEY } from './choices.ts';
import { lazily } from './lazily.ts';
import type { Add, Perform } from './perform.ts';

const findBatch = lazily(async () => (await import('./find-target.ts')).findBatch);
const cancel = lazily(async () => (await import('./commands/decide.ts')).cancel);
const controlBatch = lazily(async () => (await import('./commands/decide.ts')).controlBatch);
const decide = lazily(async () => (await import('./commands/decide.ts')).decide);
const resolve = lazily(async () => (await import('./commands/decide.ts')).resolve);
const acknowledge = lazily(async () => (await import('./commands/incidents.ts')).acknowledge);
const checkPolicy = lazily(async () => (await import('./commands/policy.ts')).checkPolicy);
const explainPolicy = lazily(async () => (await import('./commands/policy.ts')).explainPolicy);
const initPolicy = lazily(async () => (await import('./commands/policy.ts')).initPolicy);
const makeToken = lazily(async () => (await import('./commands/policy.ts')).makeToken);
const makeKey = lazily(async () => (await import('./commands/policy.ts')).makeKey);
const listSwitches = lazily(async () => (await import('./commands/switch.ts')).listSwitches);
const switchOff = lazily(async () => (await import('./commands/switch.ts')).switchOff);
const switchOn = lazily(async () => (await import('./commands/switch.ts')).switchOn);

/** What people decide about payouts, batches and incidents. */
export function addDeciding(command: Add, perform: Perform): void {
  const deciding = (usage: string, description: string): Command =>
    command(usage, description)
      .option('--yes', 'do not ask', false)
      .option('--by <name>', 'who decides (default: the user of this machine)', keptText)
      .option('--key <file>', KEY)
      .option('--remark <text>', 'why', keptText);
  const answering = (usage: string, description: string): Command =>
    deciding(usage, description).option(
      '--kind <kinds>',
      'of a batch only the rows that ask this, e.g. approval-required or look-alike,fee-above-cap',
      waitKinds,
    );
  answering('approve <id>', 'approve what is awaited').action((id, o) => perform((s) => decide(s, 'approve', id, o)));
  answering('reject <id>', 'reject what is awaited; needs --remark').action((id, o) =>
    perform((s) => decide(s, 'reject', id, o)),
  );
  deciding('cancel <id>', 'cancel a payout or the rest of a batch, where still possible').action((id, o) =>
    perform((s) => cancel(s, id, o)),
  );
  command('resolve <id>', 'decide a payout that needs an operator; checked against the bank again')
    .addOption(new Option('--action <action>', 'what to do').choices(RESOLVE_ACTIONS).makeOptionMandatory())
    .requiredOption('--evidence <text>', 'what the decision rests on', keptText)
    .option('--order <id>', 'the order to adopt')
    .option('--yes', 'do not ask', false)
    .option('--by <name>', 'who decides (default: the user of this machine)', keptText)
    .option('--key <file>', KEY)
    .action((id, o) => perform((s) => resolve(s, id, o)));
  command('acknowledge <incident>', 'say that somebody has seen to an incident, and why it may rest')
    .requiredOption('--reason <text>', 'why', keptText)
    .option('--yes', 'do not ask', false)
    .option('--by <name>', 'who (default: the user of this machine)', keptText)
    .option('--key <file>', KEY)
    .action((incident, o) => perform((s) => acknowledge(s, incident, o)));
  const control = (name: string, update: string, description: string): void => {
    command(`${name} <id>`, description)
      .option('--by <name>', 'who asks', keptText, 'operator')
      .action((id, { by }) => perform(async (s) => controlBatch(s, await findBatch(await s.store(), id), update, by)));
  };
  control('pause', MESSAGES.pause, 'send nothing more of a batch: rows under way wait before their send');
  control('drain', MESSAGES.drain, 'release no further rows of a batch; those under way go to their end');
  control('resume', MESSAGES.resume, 'release and send rows of a batch again');
}

export function addPolicy(command: Add, perform: Perform): void {
  command('init <file>', 'ask who there is, and write a policy').action((file) => perform((s) => initPolicy(s, file)));
  command('check [file]', 'what is wrong with a policy, or who may do what by it').action((file) =>
    perform((s) => checkPolicy(s, file)),
  );
  command('explain <id>', 'who may approve a payout, who has, and how many are missing').action((id) =>
    perform((s) => explainPolicy(s, id)),
  );
  command('token', 'a new token for the gateway; prints it once, and what the policy keeps of it')
    .option('--days <n>', 'how long it is let in', days, 90)
    .action((options) => perform((s) => makeToken(s, options)));
  command('key <file>', 'a new private key; prints the public key for the policy').action((file) =>
    perform((s) => makeKey(s, file)),
  );
}

export function addSwitches(command: Add, perform: Perform): void {
  const switching = (usage: string, description: string): Command =>
    command(usage, description)
      .addArgument(new Argument('<scope>', 'what it is about').choices(SWITCH_SCOPES))
      .argument('[key]', 'id of the user, account, payee or batch, or the currency; none for everything')
      .requiredOption('--reason <text>', 'why', keptText)
      .option('--by <name>', 'who asks (default: the user of this machine)', keptText)
      .option('--key <file>', KEY)
      .option('--yes', 'do not ask', false);
  switching('off', 'send nothing more that it matches, from the next send on').action((scope, key, o) =>
    perform((s) => switchOff(s, scope, key, o)),
  );
  switching('on', 'send again').action((scope, key, o) => perform((s) => switchOn(s, scope, key, o)));
  command('list', 'what is off').action(() => perform((s) => listSwitches(s)));
}

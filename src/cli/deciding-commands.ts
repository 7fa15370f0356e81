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
      .option('--yes', 'skip the confirmation', false)
      .option('--by <name>', 'your name (default: the user of this machine)', keptText)
      .option('--key <file>', KEY)
      .option('--remark <text>', 'why', keptText);
  const answering = (usage: string, description: string): Command =>
    deciding(usage, description).option(
      '--kind <kinds>',
      'only rows of these kinds, e.g. approval-required or look-alike,fee-above-cap',
      waitKinds,
    );
  answering('approve <id>', 'approve a payout, or the waiting rows of a batch').action((id, o) =>
    perform((s) => decide(s, 'approve', id, o)),
  );
  answering('reject <id>', 'reject a payout, or the waiting rows of a batch; needs --remark').action((id, o) =>
    perform((s) => decide(s, 'reject', id, o)),
  );
  deciding('cancel <id>', 'cancel a payout or the rest of a batch, if still possible').action((id, o) =>
    perform((s) => cancel(s, id, o)),
  );
  command('resolve <id>', 'resolve a payout that needs an operator; checked against the bank')
    .addOption(new Option('--action <action>', 'the action to take').choices(RESOLVE_ACTIONS).makeOptionMandatory())
    .requiredOption('--evidence <text>', 'the evidence for the decision', keptText)
    .option('--order <id>', 'the order to adopt')
    .option('--yes', 'skip the confirmation', false)
    .option('--by <name>', 'your name (default: the user of this machine)', keptText)
    .option('--key <file>', KEY)
    .action((id, o) => perform((s) => resolve(s, id, o)));
  command('acknowledge <incident>', 'record that an incident was dealt with, and how')
    .requiredOption('--reason <text>', 'why', keptText)
    .option('--yes', 'skip the confirmation', false)
    .option('--by <name>', 'your name (default: the user of this machine)', keptText)
    .option('--key <file>', KEY)
    .action((incident, o) => perform((s) => acknowledge(s, incident, o)));
  const control = (name: string, update: string, description: string): void => {
    command(`${name} <id>`, description)
      .option('--by <name>', 'your name', keptText, 'operator')
      .action((id, { by }) => perform(async (s) => controlBatch(s, await findBatch(await s.store(), id), update, by)));
  };
  control('pause', MESSAGES.pause, 'pause a batch: nothing more is sent, rows in progress wait before sending');
  control('drain', MESSAGES.drain, 'drain a batch: no further rows start, rows in progress finish');
  control('resume', MESSAGES.resume, 'resume a paused or drained batch');
}

export function addPolicy(command: Add, perform: Perform): void {
  command('init <file>', 'ask for the people and write a policy').action((file) => perform((s) => initPolicy(s, file)));
  command('check [file]', 'check a policy, and show who may do what').action((file) =>
    perform((s) => checkPolicy(s, file)),
  );
  command('explain <id>', 'show who may approve a payout, who has, and how many approvals are missing').action((id) =>
    perform((s) => explainPolicy(s, id)),
  );
  command('token', 'make a token for the gateway; prints it once, and the entry for the policy')
    .option('--days <n>', 'how long the token is valid', days, 90)
    .action((options) => perform((s) => makeToken(s, options)));
  command('key <file>', 'make a private key; prints the public key for the policy').action((file) =>
    perform((s) => makeKey(s, file)),
  );
}

export function addSwitches(command: Add, perform: Perform): void {
  const switching = (usage: string, description: string): Command =>
    command(usage, description)
      .addArgument(new Argument('<scope>', 'what to switch').choices(SWITCH_SCOPES))
      .argument('[key]', 'id of the user, account, payee or batch, or the currency; omit for everything')
      .requiredOption('--reason <text>', 'why', keptText)
      .option('--by <name>', 'your name (default: the user of this machine)', keptText)
      .option('--key <file>', KEY)
      .option('--yes', 'skip the confirmation', false);
  switching('off', 'stop everything that matches, from the next send on').action((scope, key, o) =>
    perform((s) => switchOff(s, scope, key, o)),
  );
  switching('on', 'send again').action((scope, key, o) => perform((s) => switchOn(s, scope, key, o)));
  command('list', 'list what is switched off').action(() => perform((s) => listSwitches(s)));
}

import { Argument, type Command, Option } from 'commander';
import { MESSAGES } from '../domain/names.ts';
import { RESOLVE_ACTIONS } from '../domain/resolve-action.ts';
import { SWITCH_SCOPES } from '../domain/switch-scope.ts';
import type { Acts, Add } from './acts.ts';
import { days, storableText, waitKinds } from './arguments.ts';
import { KEY } from './choices.ts';
import { signed } from './signed-options.ts';

const decisions = () => import('./decisions.ts');
const policies = () => import('./policies.ts');
const switches = () => import('./switches.ts');

export function addDeciding(command: Add, acts: Acts): void {
  const deciding = (usage: string, description: string): Command =>
    signed(command(usage, description)).option('--remark <text>', 'why', storableText);
  const answering = (usage: string, description: string): Command =>
    deciding(usage, description).option(
      '--kind <kinds>',
      'only rows of these kinds, e.g. approval-required or look-alike,fee-above-cap',
      waitKinds,
    );
  answering('approve <id>', 'approve a payout, or the waiting rows of a batch').action(
    acts(decisions, 'decide', 'approve'),
  );
  answering('reject <id>', 'reject a payout, or the waiting rows of a batch; needs --remark').action(
    acts(decisions, 'decide', 'reject'),
  );
  deciding('cancel <id>', 'cancel a payout or the rest of a batch, if still possible').action(
    acts(decisions, 'cancel'),
  );
  signed(command('resolve <id>', 'resolve a payout that needs an operator; checked against the bank'))
    .addOption(new Option('--action <action>', 'the action to take').choices(RESOLVE_ACTIONS).makeOptionMandatory())
    .requiredOption('--evidence <text>', 'the evidence for the decision', storableText)
    .option('--order <id>', 'the order to adopt')
    .action(acts(decisions, 'resolve'));
  signed(command('acknowledge <incident>', 'record that an incident was dealt with, and how'))
    .requiredOption('--reason <text>', 'why', storableText)
    .action(acts(() => import('./waiting.ts'), 'acknowledge'));
  const control = (name: string, update: string, description: string): void => {
    command(`${name} <id>`, description)
      .option('--yes', 'accepted as by the other commands; there is no confirmation', false)
      .option('--by <name>', 'your name (default: the user of this machine)', storableText)
      .option('--key <file>', KEY)
      .action(acts(() => import('./decisions.ts'), 'control', update));
  };
  control('pause', MESSAGES.pause, 'pause a batch: nothing more is sent, rows in progress wait before sending');
  control('drain', MESSAGES.drain, 'drain a batch: no further rows start, rows in progress finish');
  control('resume', MESSAGES.resume, 'resume a paused or drained batch');
}

export function addPolicy(command: Add, acts: Acts): void {
  command('init <file>', 'ask for the people and write a policy').action(acts(policies, 'initPolicy'));
  command('check [file]', 'check a policy, and show who may do what').action(acts(policies, 'checkPolicy'));
  command('explain <id>', 'show who may approve a payout, who has, and how many approvals are missing').action(
    acts(policies, 'explainPolicy'),
  );
  command('token', 'make a token for the gateway; prints it once, and the entry for the policy')
    .option('--days <n>', 'how long the token is valid', days, 90)
    .action(acts(policies, 'makeToken'));
  command('key <file>', 'make a private key; prints the public key for the policy').action(acts(policies, 'makeKey'));
}

export function addSwitches(command: Add, acts: Acts): void {
  const switching = (usage: string, description: string): Command =>
    signed(command(usage, description))
      .addArgument(new Argument('<scope>', 'what to switch').choices(SWITCH_SCOPES))
      .argument('[key]', 'id of the user, account, payee or batch, or the currency; omit for everything')
      .requiredOption('--reason <text>', 'why', storableText);
  switching('off', 'stop everything that matches, from the next send on').action(acts(switches, 'switchOff'));
  switching('on', 'send again').action(acts(switches, 'switchOn'));
  command('list', 'list what is switched off').action(acts(switches, 'listSwitches'));
}

import { SWITCH_SCOPES } from '../../domain/switch-scope.ts';
import { argument, command, group, option } from '../command.ts';
import { SIGNED, storableText } from '../options.ts';

const WHAT = [
  argument('<scope>', 'what to switch', { choices: SWITCH_SCOPES }),
  argument('[key]', 'id of the user, account, payee or batch, or the currency; omit for everything'),
] as const;
const OPTIONS = [...SIGNED, option('--reason <text>', 'why', { parse: storableText, required: true })] as const;

const off = command('off', 'stop everything that matches, from the next send on', {
  examples: [
    ["payouts switch off everything --reason 'fraud suspected'", 'stop all sending'],
    [
      "payouts switch off currency EUR --reason 'bank holiday' --by alice --yes",
      'everything paid in EUR or bought with EUR',
    ],
    ["payouts switch off payee ben-7 --reason 'details in doubt'", 'one payee'],
  ],
  arguments: WHAT,
  options: OPTIONS,
  action: async () => (await import('../switches.ts')).switchOff,
});

const on = command('on', 'send again', {
  examples: [["payouts switch on currency EUR --reason 'bank is open'", 'waiting payouts continue automatically']],
  arguments: WHAT,
  options: OPTIONS,
  action: async () => (await import('../switches.ts')).switchOn,
});

const list = command('list', 'list what is switched off', {
  examples: [['payouts switch list', 'what is switched off, since when, by whom and why']],
  action: async () => (await import('../switches.ts')).listSwitches,
});

export const switches = group(
  'switch',
  'stop sending for everything, a user, an account, a currency, a payee or a batch',
  {
    examples: [["payouts switch off everything --reason 'fraud suspected'", 'stop all sending']],
    commands: [off, on, list],
  },
);

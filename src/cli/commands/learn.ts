import { argument, command, option } from '../command.ts';
import { SHELLS, TEMPLATES } from '../options.ts';

const CURRENCY = option('--currency <code>', 'only for this currency');

export const template = command('template', 'print a file to fill in, valid for the bank', {
  examples: [
    ['payouts template > payroll.csv', 'a sample row to fill in for each payment type of the bank'],
    ['payouts template --currency USD', 'in one currency'],
    ['payouts template json > payroll.json', 'the same as JSON'],
    ['payouts template pain.001 > invoices.xml', 'a bank message, with the two files that complete it:'],
    ['payouts template mapping > mapping.json', 'which bank account belongs to the debtor account'],
    ['payouts template payees > payees.csv', 'what the message does not say about payees'],
    ['payouts template mapping --from invoices.xml > mapping.json', 'with all accounts of your own message'],
    ['payouts template payees --from invoices.xml > payees.csv', 'with all payees of it; fill in the gaps'],
  ],
  arguments: [argument('[kind]', 'what to print', { choices: TEMPLATES, default: 'csv' })],
  options: [
    CURRENCY,
    option('--from <file>', 'for mapping and payees: fill in from this bank message'),
    option('--mapping <file>', 'with --from: an existing mapping file to complete'),
    option('--payees <file>', 'with --from: an existing payee directory'),
  ],
  action: async () => (await import('../template.ts')).template,
});

export const explain = command(
  'explain [name]',
  'explain a column, a bank field, a finding, a state, a reason code or an incident',
  {
    examples: [
      ['payouts explain', 'all columns, findings, states and reason codes'],
      ['payouts explain amount', 'a column'],
      ['payouts explain swift_code --currency USD', 'a payee field of the bank'],
      ['payouts explain too-many-decimals', 'a finding'],
      ['payouts explain outcome-unknown', 'a reason code'],
    ],
    options: [CURRENCY],
    action: async () => (await import('../explain.ts')).explain,
  },
);

export const completion = command('completion', 'print a completion script for a shell', {
  examples: [
    ['source <(payouts completion bash)', 'for this shell; put it into ~/.bashrc for all'],
    ['payouts completion zsh > _payouts', 'save it in a folder of fpath'],
    ['payouts completion fish > payouts.fish', 'to ~/.config/fish/completions'],
    ['payouts completion powershell > payouts.ps1', 'read it in $PROFILE: . ~/payouts.ps1'],
  ],
  arguments: [argument('<shell>', 'the shell', { choices: SHELLS })],
  action: async () => {
    const { completion: script } = await import('../completion.ts');
    return (session, shell, _options, { parent }) => (parent === null ? undefined : script(session, parent, shell));
  },
});

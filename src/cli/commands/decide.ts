import { MESSAGES } from '../../domain/names.ts';
import { RESOLVE_ACTIONS } from '../../domain/payout-state.ts';
import { SWITCH_SCOPES } from '../../domain/switch-scope.ts';
import {
  argument,
  BY,
  CONFIRMED,
  command,
  days,
  EVIDENCE,
  group,
  KEY,
  option,
  SIGNED,
  storableText,
  waitKinds,
  wholeNumber,
} from '../command.ts';

const REASON = option('--reason <text>', 'why', { parse: storableText, asked: 'Why?' });
const REMARK = option('--remark <text>', 'why', { parse: storableText });
const KIND = option('--kind <kinds>', 'only rows of these kinds, e.g. approval-required or look-alike,fee-above-cap', {
  parse: waitKinds,
});

export const approve = command('approve <id>', 'approve a payout, or the waiting rows of a batch', {
  examples: [['payouts approve ID --by bob --remark checked', 'a payout, or all waiting rows of a batch']],
  options: [...SIGNED, REMARK, KIND],
  first: ['approve'],
  action: async () => (await import('../decision-actions.ts')).decide,
});

export const reject = command('reject <id>', 'reject a payout, or the waiting rows of a batch; needs --remark', {
  examples: [["payouts reject ID --by bob --remark 'wrong payee'", 'a payout, or all waiting rows of a batch']],
  options: [...SIGNED, option('--remark <text>', 'why', { parse: storableText, asked: 'Why?' }), KIND],
  first: ['reject'],
  action: async () => (await import('../decision-actions.ts')).decide,
});

export const recheck = command('recheck <id>', 'have payouts that are held, or wait for money, check at once', {
  examples: [['payouts recheck ID', 'a payout, or all such rows of a batch']],
  options: [BY, KEY],
  action: async () => (await import('../decision-actions.ts')).recheck,
});

export const cancel = command('cancel <id>', 'cancel a payout or the rest of a batch, if still possible', {
  examples: [["payouts cancel ID --by alice --remark 'invoice withdrawn'", 'a payout, or the rest of a batch']],
  options: [...SIGNED, REMARK],
  action: async () => (await import('../decision-actions.ts')).cancel,
});

export const resolve = command('resolve <id>', 'resolve a payout that needs an operator; checked against the bank', {
  examples: [
    ["payouts resolve ID --action keep-looking --evidence 'asked the bank'", 'check again now'],
    ["payouts resolve ID --action adopt-order --order tx-1042 --evidence 'letter of 12 May'", 'follow this order'],
    ["payouts resolve ID --action close-as-not-paid --by bob --evidence 'letter of 12 May'", 'nothing was paid'],
  ],
  options: [
    ...SIGNED,
    option('--action <action>', 'the action to take', { choices: RESOLVE_ACTIONS, required: true }),
    EVIDENCE,
    option('--order <id>', 'the order to adopt', { parse: storableText }),
  ],
  action: async () => (await import('../decision-actions.ts')).resolve,
});

export const acknowledge = command('acknowledge <incident>', 'record that an incident was dealt with, and how', {
  examples: [
    ["payouts acknowledge INCIDENT --by alice --reason 'called back, ticket 7'", 'the incident is no longer open'],
  ],
  options: [...SIGNED, REASON],
  action: async () => (await import('../inbox-actions.ts')).acknowledge,
});

export const match = command('match <entry> [payout]', 'say which payout a booking belongs to, and why', {
  examples: [
    ["payouts match ENTRY INV-4711 --by alice --reason 'asked the bank, ticket 7'", 'it belongs to this payout'],
    ["payouts match ENTRY --by alice --reason 'rent, paid by hand'", 'it belongs to no payout'],
  ],
  options: [...SIGNED, REASON],
  action: async () => (await import('../statement-actions.ts')).match,
});

const CONTROL = [
  option('--yes', 'for scripts that pass it to every command; nothing is asked', { default: false }),
  BY,
  KEY,
] as const;

export const pause = command(
  'pause <id>',
  'pause a batch: nothing more is sent, rows in progress wait before sending',
  {
    examples: [['payouts pause ID --by alice', 'send nothing more of a batch']],
    options: CONTROL,
    first: [MESSAGES.pause],
    action: async () => (await import('../decision-actions.ts')).control,
  },
);

export const drain = command('drain <id>', 'drain a batch: no further rows start, rows in progress finish', {
  examples: [['payouts drain ID --by alice', 'start no further rows; rows in progress continue']],
  options: CONTROL,
  first: [MESSAGES.drain],
  action: async () => (await import('../decision-actions.ts')).control,
});

export const resume = command('resume <id>', 'resume a paused or drained batch', {
  examples: [['payouts resume ID --by alice', 'continue a paused or drained batch']],
  options: CONTROL,
  first: [MESSAGES.resume],
  action: async () => (await import('../decision-actions.ts')).control,
});

const init = command('init <file>', 'ask for the people and write a policy', {
  examples: [['payouts policy init policy.json', 'asks for the people']],
  action: async () => (await import('../policies.ts')).initPolicy,
});

const check = command('check [file]', 'check a policy, and show who may do what', {
  examples: [
    ['payouts policy check policy.json', 'all problems of a policy file'],
    ['payouts policy check', 'who may do what under the policy in force'],
  ],
  action: async () => (await import('../policies.ts')).checkPolicy,
});

const explain = command('explain <id>', 'show who may approve a payout, who has, and how many approvals are missing', {
  examples: [['payouts policy explain INV-4711', 'who may approve it, and who has']],
  action: async () => (await import('../policies.ts')).explainPolicy,
});

const token = command('token', 'make a token for the gateway; prints it once, and the entry for the policy', {
  examples: [['payouts policy token --days 30', 'for a program that acts for a person over HTTP']],
  options: [option('--days <n>', 'how long the token is valid', { parse: days, default: 90 })],
  action: async () => (await import('../policies.ts')).makeToken,
});

const key = command('key <file>', 'make a private key; prints the public key for the policy', {
  examples: [['payouts policy key bob.pem', 'make a private key; prints the public one']],
  action: async () => (await import('../policies.ts')).makeKey,
});

export const policy = group('policy', 'write, check and explain who may move money', {
  examples: [['payouts policy check', 'who may do what']],
  commands: [init, check, explain, token, key],
});

const WHAT = [
  argument('<scope>', 'what to switch', { choices: SWITCH_SCOPES }),
  argument('[key]', 'id of the user, account, payee or batch, or the currency; omit for everything'),
] as const;
const OPTIONS = [...SIGNED, REASON] as const;

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
  action: async () => (await import('../switch-actions.ts')).switchOff,
});

const on = command('on', 'send again', {
  examples: [["payouts switch on currency EUR --reason 'bank is open'", 'waiting payouts continue automatically']],
  arguments: WHAT,
  options: OPTIONS,
  action: async () => (await import('../switch-actions.ts')).switchOn,
});

const list = command('list', 'list what is switched off', {
  examples: [['payouts switch list', 'what is switched off, since when, by whom and why']],
  action: async () => (await import('../switch-actions.ts')).listSwitches,
});

export const switches = group(
  'switch',
  'stop sending for everything, a user, an account, a currency, a payee or a batch',
  {
    examples: [["payouts switch off everything --reason 'fraud suspected'", 'stop all sending']],
    commands: [off, on, list],
  },
);

const verify = command(
  'verify [file]',
  'verify the audit log of the store or of an exported file, and show where it was changed',
  {
    examples: [
      ['payouts audit verify', 'the log of the store; prints the public key'],
      ['payouts audit verify --checkpoints /mnt/elsewhere/checkpoints', 'against checkpoints kept elsewhere'],
      ['payouts audit verify audit.jsonl --key KEY', 'an export, without the store'],
    ],
    options: [
      option(
        '--checkpoints <place>',
        'file with checkpoints, or folder of mails with them (default: PAYOUTS_AUDIT_CHECKPOINTS)',
      ),
      option('--key <key>', 'public key of the log, as printed by an earlier verify'),
    ],
    action: async () => (await import('../audit-actions.ts')).verifyAudit,
  },
);

const exportLog = command('export', 'print all signed entries as lines of JSON, with the checkpoints', {
  examples: [['payouts audit export > audit.jsonl', 'a line of JSON for each entry']],
  action: async () => (await import('../audit-actions.ts')).exportAudit,
});

const rotateKey = command('rotate-key <file>', 'replace the signing key; the present key vouches for the new one', {
  examples: [['payouts audit rotate-key next-key.pem', 'run where the present key is; prints the new public key']],
  options: CONFIRMED,
  action: async () => (await import('../audit-actions.ts')).rotateAuditKey,
});

const show = command('show <id>', 'show what was done to a batch, a payout or another subject', {
  examples: [
    ['payouts audit show ID', 'a batch with its rows, or a payout'],
    ["payouts audit show 'currency EUR' --json", 'a switch'],
  ],
  options: [option('--limit <n>', 'how many entries to show', { parse: wholeNumber, default: 1_000 })],
  action: async () => (await import('../audit-actions.ts')).showAudit,
});

export const audit = group('audit', 'verify, export and show who did what', {
  examples: [
    ['payouts audit verify', 'check that nothing was changed, removed or cut off'],
    ['payouts audit show ID', 'who did what to a batch or a payout'],
  ],
  commands: [verify, exportLog, rotateKey, show],
});

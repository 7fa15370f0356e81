import { MESSAGES } from '../../domain/names.ts';
import { RESOLVE_ACTIONS } from '../../domain/payout-state.ts';
import { command, option } from '../command.ts';
import { BY, KEY, SIGNED, storableText, waitKinds } from '../options.ts';

const REMARK = option('--remark <text>', 'why', { parse: storableText });
const KIND = option('--kind <kinds>', 'only rows of these kinds, e.g. approval-required or look-alike,fee-above-cap', {
  parse: waitKinds,
});

export const approve = command('approve <id>', 'approve a payout, or the waiting rows of a batch', {
  examples: [['payouts approve ID --by bob --remark checked', 'a payout, or all waiting rows of a batch']],
  options: [...SIGNED, REMARK, KIND],
  first: ['approve'],
  action: async () => (await import('../decisions.ts')).decide,
});

export const reject = command('reject <id>', 'reject a payout, or the waiting rows of a batch; needs --remark', {
  examples: [["payouts reject ID --by bob --remark 'wrong payee'", 'a payout, or all waiting rows of a batch']],
  options: [...SIGNED, REMARK, KIND],
  first: ['reject'],
  action: async () => (await import('../decisions.ts')).decide,
});

export const cancel = command('cancel <id>', 'cancel a payout or the rest of a batch, if still possible', {
  examples: [["payouts cancel ID --by alice --remark 'invoice withdrawn'", 'a payout, or the rest of a batch']],
  options: [...SIGNED, REMARK],
  action: async () => (await import('../decisions.ts')).cancel,
});

export const resolve = command('resolve <id>', 'resolve a payout that needs an operator; checked against the bank', {
  examples: [
    ["payouts resolve ID --action keep-looking --evidence 'asked the bank'", 'check again now'],
    ["payouts resolve ID --action adopt-order --order ORDER --evidence 'letter of 12 May'", 'follow this order'],
    ["payouts resolve ID --action close-as-not-paid --by bob --evidence 'letter of 12 May'", 'nothing was paid'],
  ],
  options: [
    ...SIGNED,
    option('--action <action>', 'the action to take', { choices: RESOLVE_ACTIONS, required: true }),
    option('--evidence <text>', 'the evidence for the decision', { parse: storableText, required: true }),
    option('--order <id>', 'the order to adopt'),
  ],
  action: async () => (await import('../decisions.ts')).resolve,
});

export const acknowledge = command('acknowledge <incident>', 'record that an incident was dealt with, and how', {
  examples: [
    ["payouts acknowledge INCIDENT --by alice --reason 'called back, ticket 7'", 'the incident is no longer open'],
  ],
  options: [...SIGNED, option('--reason <text>', 'why', { parse: storableText, required: true })],
  action: async () => (await import('../incidents.ts')).acknowledge,
});

const CONTROL = [
  option('--yes', 'accepted as by the other commands; there is no confirmation', { default: false }),
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
    action: async () => (await import('../decisions.ts')).control,
  },
);

export const drain = command('drain <id>', 'drain a batch: no further rows start, rows in progress finish', {
  examples: [['payouts drain ID --by alice', 'start no further rows; rows in progress continue']],
  options: CONTROL,
  first: [MESSAGES.drain],
  action: async () => (await import('../decisions.ts')).control,
});

export const resume = command('resume <id>', 'resume a paused or drained batch', {
  examples: [['payouts resume ID --by alice', 'continue a paused or drained batch']],
  options: CONTROL,
  first: [MESSAGES.resume],
  action: async () => (await import('../decisions.ts')).control,
});

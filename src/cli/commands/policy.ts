import { command, group, option } from '../command.ts';
import { days } from '../options.ts';

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

export const policy = group('policy', 'who may move money: people, roles, keys, limits, approvals', {
  examples: [['payouts policy check', 'who may do what']],
  commands: [init, check, explain, token, key],
});

import { command, group, option } from '../command.ts';
import { CONFIRMED, wholeNumber } from '../options.ts';

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
    action: async () => (await import('../audit-log.ts')).verifyAudit,
  },
);

const exportLog = command('export', 'print all signed entries as lines of JSON, with the checkpoints', {
  examples: [['payouts audit export > audit.jsonl', 'a line of JSON for each entry']],
  action: async () => (await import('../audit-log.ts')).exportAudit,
});

const rotateKey = command('rotate-key <file>', 'replace the signing key; the present key vouches for the new one', {
  examples: [['payouts audit rotate-key next-key.pem', 'run where the present key is; prints the new public key']],
  options: CONFIRMED,
  action: async () => (await import('../audit-log.ts')).rotateAuditKey,
});

const show = command('show <id>', 'show what was done to a batch, a payout or another subject', {
  examples: [
    ['payouts audit show ID', 'a batch with its rows, or a payout'],
    ["payouts audit show 'currency EUR' --json", 'a switch'],
  ],
  options: [option('--limit <n>', 'how many entries to show', { parse: wholeNumber, default: 1_000 })],
  action: async () => (await import('../audit-log.ts')).showAudit,
});

export const audit = group('audit', 'verify, export and show who did what', {
  examples: [
    ['payouts audit verify', 'check that nothing was changed, removed or cut off'],
    ['payouts audit show ID', 'who did what to a batch or a payout'],
  ],
  commands: [verify, exportLog, rotateKey, show],
});

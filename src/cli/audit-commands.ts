import { Option } from 'commander';
import { keptText, wholeNumber } from './arguments.ts';
import { lazily } from './lazily.ts';
import type { Add, Perform } from './perform.ts';

const exportAudit = lazily(async () => (await import('./commands/audit.ts')).exportAudit);
const rotateAuditKey = lazily(async () => (await import('./commands/audit-key.ts')).rotateAuditKey);
const showAudit = lazily(async () => (await import('./commands/audit.ts')).showAudit);
const verifyAudit = lazily(async () => (await import('./commands/audit.ts')).verifyAudit);

export function addAudit(command: Add, perform: Perform): void {
  const key = new Option('--key <key>', 'public key of the log, as printed by an earlier verify');
  command('verify [file]', 'verify the audit log of the store or of an exported file, and show where it was changed')
    .option(
      '--checkpoints <place>',
      'file with checkpoints, or folder of mails with them (default: PAYOUTS_AUDIT_CHECKPOINTS)',
    )
    .addOption(key)
    .action((file, options) => perform((s) => verifyAudit(s, file, options)));
  command('export', 'print all signed entries as lines of JSON, with the checkpoints').action(() =>
    perform((s) => exportAudit(s)),
  );
  command('rotate-key <file>', 'replace the signing key; the present key vouches for the new one')
    .option('--by <name>', 'your name (default: the user of this machine)', keptText)
    .option('--yes', 'skip the confirmation', false)
    .action((file, options) => perform((s) => rotateAuditKey(s, file, options)));
  command('show <id>', 'show what was done to a batch, a payout or another subject')
    .option('--limit <n>', 'how many entries to show', wholeNumber, 1_000)
    .action((id, options) => perform((s) => showAudit(s, id, options)));
}

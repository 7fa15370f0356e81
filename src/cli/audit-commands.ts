import { Option } from 'commander';
import { keptText, wholeNumber } from './arguments.ts';
import { lazily } from './lazily.ts';
import type { Add, Perform } from './perform.ts';

const exportAudit = lazily(async () => (await import('./commands/audit.ts')).exportAudit);
const rotateAuditKey = lazily(async () => (await import('./commands/audit-key.ts')).rotateAuditKey);
const showAudit = lazily(async () => (await import('./commands/audit.ts')).showAudit);
const verifyAudit = lazily(async () => (await import('./commands/audit.ts')).verifyAudit);

export function addAudit(command: Add, perform: Perform): void {
  const key = new Option('--key <key>', 'public key of the log, as an earlier verify has printed it');
  command('verify [file]', 'recompute the audit of the store, or an exported file, and say where it was changed')
    .option('--checkpoints <place>', 'file or folder of mails with checkpoints (default: PAYOUTS_AUDIT_CHECKPOINTS)')
    .addOption(key)
    .action((file, options) => perform((s) => verifyAudit(s, file, options)));
  command('export', 'every signed entry as a line of JSON, with the checkpoints').action(() =>
    perform((s) => exportAudit(s)),
  );
  command('rotate-key <file>', 'sign with another private key from now on, introduced by the one before')
    .option('--by <name>', 'who asks (default: the user of this machine)', keptText)
    .option('--yes', 'do not ask', false)
    .action((file, options) => perform((s) => rotateAuditKey(s, file, options)));
  command('show <id>', 'what was done about a batch, a payout or another subject')
    .option('--limit <n>', 'the first so many', wholeNumber, 1_000)
    .action((id, options) => perform((s) => showAudit(s, id, options)));
}

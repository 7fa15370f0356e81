import { Option } from 'commander';
import type { Acts, Add } from './acts.ts';
import { wholeNumber } from './arguments.ts';
import { confirmed } from './signed-options.ts';

const log = () => import('./commands/audit.ts');

export function addAudit(command: Add, acts: Acts): void {
  const key = new Option('--key <key>', 'public key of the log, as printed by an earlier verify');
  command('verify [file]', 'verify the audit log of the store or of an exported file, and show where it was changed')
    .option(
      '--checkpoints <place>',
      'file with checkpoints, or folder of mails with them (default: PAYOUTS_AUDIT_CHECKPOINTS)',
    )
    .addOption(key)
    .action(acts(log, 'verifyAudit'));
  command('export', 'print all signed entries as lines of JSON, with the checkpoints').action(acts(log, 'exportAudit'));
  confirmed(command('rotate-key <file>', 'replace the signing key; the present key vouches for the new one')).action(
    acts(() => import('./commands/audit-key.ts'), 'rotateAuditKey'),
  );
  command('show <id>', 'show what was done to a batch, a payout or another subject')
    .option('--limit <n>', 'how many entries to show', wholeNumber, 1_000)
    .action(acts(log, 'showAudit'));
}

import { Option } from 'commander';
import { EVENT_KINDS } from '../domain/events-out.ts';
import type { Acts, Add } from './acts.ts';
import { wholeNumber } from './arguments.ts';
import { confirmed } from './signed-options.ts';

const copies = () => import('./store-copies.ts');
const events = () => import('./event-log.ts');
const log = () => import('./audit-log.ts');

export function addAudit(command: Add, acts: Acts): void {
  command('verify [file]', 'verify the audit log of the store or of an exported file, and show where it was changed')
    .option(
      '--checkpoints <place>',
      'file with checkpoints, or folder of mails with them (default: PAYOUTS_AUDIT_CHECKPOINTS)',
    )
    .option('--key <key>', 'public key of the log, as printed by an earlier verify')
    .action(acts(log, 'verifyAudit'));
  command('export', 'print all signed entries as lines of JSON, with the checkpoints').action(acts(log, 'exportAudit'));
  confirmed(command('rotate-key <file>', 'replace the signing key; the present key vouches for the new one')).action(
    acts(log, 'rotateAuditKey'),
  );
  command('show <id>', 'show what was done to a batch, a payout or another subject')
    .option('--limit <n>', 'how many entries to show', wholeNumber, 1_000)
    .action(acts(log, 'showAudit'));
}

export function addEvents(command: Add, acts: Acts): void {
  command('list', 'list the newest events, or those from a position', { isDefault: true })
    .option('--from <position>', 'first position', wholeNumber)
    .addOption(new Option('--kind <kind>', 'only these').choices(Object.keys(EVENT_KINDS)))
    .option('--limit <n>', 'maximum number of events', wholeNumber, 50)
    .action(acts(events, 'listEvents'));
  command('status', 'show the progress of each subscription, and what delays it').action(acts(events, 'eventsStatus'));
  confirmed(command('replay', 'send events to a subscription again from a position'))
    .requiredOption('--from <position>', 'first position', wholeNumber)
    .requiredOption('--to <name>', 'the subscription')
    .action(acts(events, 'replayEvents'));
  confirmed(command('forget <name>', 'stop keeping events for a subscription that is no longer configured')).action(
    acts(events, 'forgetEvents'),
  );
}

export function addHistories(command: Add, acts: Acts): void {
  command('pull', 'write the histories of open workflows to a folder, one file each')
    .requiredOption('--to <dir>', 'the folder; created if missing')
    .option('--query <query>', 'only workflows that also match this visibility query')
    .option('--limit <n>', 'at most this many', wholeNumber, 1_000)
    .action(acts(() => import('./histories.ts'), 'pull'));
}

export function addUpgrading(command: Add, acts: Acts): void {
  command('replay <dir>', 'replay every history of a folder with the workflow code of this build').action(
    acts(() => import('./replay-histories.ts'), 'replay'),
  );
}

export function addKeeping(command: Add, acts: Acts): void {
  command(
    'migrate',
    'make or update the tables of the store, and grant the roles of its PostgreSQL what they need',
  ).action(acts(() => import('./store-copies.ts'), 'migrate'));
  command('backup <file>', 'copy the store to a new file; a stack may be running').action(acts(copies, 'backup'));
  confirmed(
    command(
      'restore [file]',
      'replace the store with a copy, or record that PostgreSQL was restored; no stack may be running',
    ),
  ).action(acts(copies, 'restore'));
}

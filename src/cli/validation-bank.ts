import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Bank } from '../bank/bank.ts';
import type { Config } from '../platform/config.ts';
import { SANDBOX_FILE } from '../platform/embedded/boot.ts';
import { bankAt } from '../platform/open-bank.ts';
import { startSandbox } from '../sandbox/start-sandbox.ts';

interface At {
  config: Config;
  bank(at: { apiUrl: string }): Promise<Bank>;
}

/**
 * A bank to read from while a file is checked and planned: the configured one, or a throw-away sandbox on a copy of this home's
 * books, so that checking boots nothing and changes nothing.
 */
export async function withValidationBank<T>(at: At, use: (bank: Bank) => Promise<T>): Promise<T> {
  const { config } = at;
  if (config.bank.kind === 'remote') return use(await at.bank({ apiUrl: config.bank.url }));
  const folder = await mkdtemp(join(tmpdir(), 'payouts-'));
  try {
    const file = copyOfBooks(join(config.home, SANDBOX_FILE), join(folder, SANDBOX_FILE));
    const sandbox = await startSandbox({
      file,
      apiKey: config.bank.key.reveal(),
      apiSecret: config.bank.secret.reveal(),
    });
    // Open files survive their deletion: however this process ends, nothing of the books stays behind.
    await rm(folder, { recursive: true, force: true });
    const bank = bankAt(config, sandbox.url);
    try {
      return await use(bank);
    } finally {
      await bank.close();
      await sandbox.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A consistent copy, even while the sandbox is running; without books, a new sandbox in memory. */
function copyOfBooks(books: string, copy: string): string {
  if (!existsSync(books)) return ':memory:';
  const database = new DatabaseSync(books, { readOnly: true, timeout: 5_000 });
  try {
    database.prepare('vacuum into ?').run(copy);
  } finally {
    database.close();
  }
  return copy;
}

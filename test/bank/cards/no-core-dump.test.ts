import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = `
  const { leaveNoCoreDump } = await import(process.argv[1]);
  process.stdout.write(String(leaveNoCoreDump()));
  process.stdin.resume();
`;
const MODULE = fileURLToPath(new URL('../../../src/bank/cards/vault.ts', import.meta.url));

it('a process with the setting leaves no memory in a core dump; where that cannot be, it says so', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, MODULE], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [said] = await child.stdout.take(1).toArray();
    const filter = `/proc/${child.pid}/coredump_filter`;
    const isThere = existsSync(filter);
    expect(`${said}`).toBe(String(isThere));
    if (isThere) expect(Number.parseInt(readFileSync(filter, 'utf8'), 16)).toBe(0);
  } finally {
    child.kill();
  }
});

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../markdown.ts';

const UNITS = globSync('ops/systemd/*.service', { cwd: ROOT }).sort();
const read = (unit: string): string => readFileSync(join(ROOT, unit), 'utf8');

/** What each of our units takes from its service. */
const TAKEN = [
  'UMask=0077',
  'LimitCORE=0',
  'NoNewPrivileges=true',
  'ProtectSystem=strict',
  'PrivateTmp=true',
  'PrivateDevices=true',
  'PrivateUsers=true',
  'ProtectClock=true',
  'ProtectControlGroups=true',
  'ProtectHostname=true',
  'ProtectKernelLogs=true',
  'ProtectKernelModules=true',
  'ProtectKernelTunables=true',
  'ProtectProc=invisible',
  'CapabilityBoundingSet=',
  'LockPersonality=true',
  'RemoveIPC=true',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
  'RestrictNamespaces=true',
  'RestrictRealtime=true',
  'RestrictSUIDSGID=true',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @resources',
  'SystemCallErrorNumber=EPERM',
];

/** systemd-analyze scores files without a running systemd from version 250 on. */
function systemdVersion(): number {
  const { stdout } = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
  return Number(/^systemd (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}

describe('a unit of systemd', () => {
  it('is there for each process of a machine', () => {
    expect(UNITS.map((unit) => basename(unit, '.service'))).toEqual([
      'payouts-gateway',
      'payouts-store-tables',
      'payouts-worker@',
      'temporal-server',
    ]);
  });

  it.each(UNITS)('takes from its service what that does not need: %s', (unit) => {
    expect(read(unit).split('\n')).toEqual(expect.arrayContaining(TAKEN));
    expect(read(unit)).toMatch(/^ProtectHome=(true|tmpfs)$/m);
  });

  it('lets V8 compile, and nothing else', () => {
    const compiling = UNITS.filter((unit) => !/^MemoryDenyWriteExecute=true$/m.test(read(unit)));
    expect(compiling).toEqual(UNITS.filter((unit) => unit.includes('payouts-')));
  });

  describe.skipIf(systemdVersion() < 250)('scored by systemd-analyze, which 250 or later must be installed for', () => {
    it.each(UNITS)('%s: at most 2.0', (unit) => {
      const args = ['security', '--offline=yes', '--no-pager', unit];
      const { stdout } = spawnSync('systemd-analyze', args, { cwd: ROOT, encoding: 'utf8' });
      const [, score] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
      expect(Number(score)).toBeLessThanOrEqual(2);
    });
  });
});

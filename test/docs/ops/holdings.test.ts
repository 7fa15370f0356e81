import { describe, expect, it } from 'vitest';
import { HOLDINGS, heldIn, unneededBy } from '../../../src/platform/config/holdings.ts';
import { CONFIG_KEYS, loadConfig } from '../../../src/platform/config.ts';
import { deployed, processOf } from './deployed.ts';

describe('each process as shipped', () => {
  it.each(deployed)('holds no secret that it does not need: $name', (it) => {
    expect(unneededBy(processOf(it), heldIn(it.env))).toEqual([]);
    const named = new Set(Object.values(it.env));
    expect([...it.mounted].filter((file) => !named.has(file))).toEqual([]);
  });

  it('holds what it needs with a bank and PostgreSQL', () => {
    const needed = {
      worker: [
        'PAYOUTS_API_KEY',
        'PAYOUTS_API_SECRET',
        'PAYOUTS_BANK_READS_KEY',
        'PAYOUTS_STORE_URL',
        'PAYOUTS_CODEC_KEYS',
      ],
      gateway: ['PAYOUTS_BANK_READS_KEY', 'PAYOUTS_STORE_URL', 'PAYOUTS_CODEC_KEYS'],
      migrate: ['PAYOUTS_STORE_URL'],
      person: ['PAYOUTS_SIGNING_KEY'],
    };
    for (const it of deployed) {
      if (it.name === 'compose worker') continue;
      const process = processOf(it) as keyof typeof needed;
      expect(heldIn(it.env), it.name).toEqual(expect.arrayContaining(needed[process]));
    }
  });

  it('reads from the bank where workers serve it', () => {
    const served = (name: string) => deployed.filter((it) => it.name.startsWith(name) && it.args[0] === 'worker');
    for (const gateway of deployed.filter(({ args }) => args[0] === 'gateway')) {
      const [kind = ''] = gateway.name.split(' ');
      const ports = served(kind).flatMap(({ env }) => loadConfig(env).bank.relayAt?.port ?? []);
      const asked = loadConfig(gateway.env).bank.relay?.hosts.map((host) => Number(host.split(':').at(-1)));
      expect(asked, gateway.name).toEqual(kind === 'compose' || kind === 'kubernetes' ? ports.slice(-1) : ports);
    }
  });

  it('is judged by a table that has every secret there is', () => {
    const isSecret = (name: string): boolean =>
      !/_ALLOW_/.test(name) && /_(KEYS?|SECRET|TOKEN)$|_STORE_URL$|_SMTP_URL$|_EVENTS$/.test(name);
    const missing = Object.keys(CONFIG_KEYS).filter((name) => isSecret(name) && !(name in HOLDINGS));
    expect(missing).toEqual([]);
    const unknown = Object.keys(HOLDINGS).filter((name) => !name.startsWith('TEMPORAL_') && !(name in CONFIG_KEYS));
    expect(unknown).toEqual([]);
  });
});

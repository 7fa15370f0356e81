import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Config, loadConfig } from '../../../src/platform/config.ts';
import { folderOfFile } from '../../support/new-folder.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;

const folder = folderOfFile();
beforeAll(() => {
  writeFileSync(join(folder, 'erp-secret'), `${OTHER}\n`);
});
function load(subscriptions: unknown, env: Record<string, string> = {}): Config['events'] {
  const file = join(folder, 'events.json');
  writeFileSync(file, JSON.stringify({ subscriptions }));
  return loadConfig({ PAYOUTS_HOME: folder, PAYOUTS_EVENTS: file, ...env }).events;
}

const webhook = { name: 'erp', url: 'https://erp.example.com/hooks', secrets: [SECRET] };

describe('the file of subscriptions', () => {
  it('names webhooks, with secrets in it and beside it', () => {
    const given = { ...webhook, secretFiles: ['erp-secret'], kinds: ['payout.ended'], uids: ['u-1'] };
    const [erp] = load([given]).subscriptions;
    expect(erp).toMatchObject({
      name: 'erp',
      kinds: ['payout.ended'],
      uids: ['u-1'],
      to: { kind: 'webhook', url: webhook.url, privateNetwork: false },
    });
    const secrets = erp?.to.kind === 'webhook' ? erp.to.secrets.reveal() : [];
    expect(secrets).toEqual([Buffer.alloc(24, 7), Buffer.alloc(24, 8)]);
    expect(JSON.stringify(erp)).not.toContain(SECRET.slice(6));
  });

  it('names mails, for which there is a server', () => {
    const mail = { name: 'treasury', mail: ['treasury@example.com'], every: '1h' };
    const url = 'smtps://payouts:secret@mail.example.com';
    const events = load([mail], { PAYOUTS_SMTP_URL: url });
    expect(events.subscriptions[0]?.to).toEqual({ kind: 'mail', addresses: mail.mail, everyMs: 3_600_000 });
    expect(events.mailServer.reveal()).toEqual({ url, from: 'payouts@localhost', isRemote: true });
    expect(() => load([mail])).toThrow('PAYOUTS_SMTP_URL: is missing');
  });

  it.each([
    ['http to another machine', { ...webhook, url: 'http://erp.example.com/' }, 'url: is http to another machine'],
    ['a private address', { ...webhook, url: 'https://10.0.0.7/' }, 'url: is a private address'],
    ['the address of a cloud', { ...webhook, url: 'https://[::ffff:169.254.169.254]/' }, 'url: is a private address'],
    ['credentials', { ...webhook, url: 'https://alice:pw@erp.example.com/' }, 'url: contains credentials'],
    ['another scheme', { ...webhook, url: 'ftp://erp.example.com/' }, 'url: is not an https address'],
    ['no secret', { name: 'erp', url: webhook.url }, 'url needs secrets'],
    ['a short secret', { ...webhook, secrets: ['whsec_c2hvcnQ='] }, 'is not a list of secrets'],
    ['a missing file', { name: 'erp', url: webhook.url, secretFiles: ['none'] }, 'secretFiles entry'],
    ['both', { ...webhook, mail: ['a@example.com'] }, 'must have either url or mail'],
    ['neither', { name: 'erp' }, 'must have either url or mail'],
    ['a pause of a webhook', { ...webhook, every: '1h' }, 'every is for mails'],
    ['a time of the day for a webhook', { ...webhook, daily: '08:00' }, 'daily is for mails'],
    [
      'two rhythms of mails',
      { name: 'x', mail: ['a@example.com'], daily: '08:00', every: '1h' },
      'has both every and daily',
    ],
    ['no time of a day', { name: 'x', mail: ['a@example.com'], daily: '8am' }, 'is not a time such as 08:00'],
    ['an unknown kind', { ...webhook, kinds: ['payout.lost'] }, 'kinds.0'],
    ['an unknown member', { ...webhook, secret: 'x' }, 'secret'],
    ['a bad name', { ...webhook, name: 'ERP 1' }, 'is not a name'],
  ])('is refused for %s, without its values', (_what, subscription, why) => {
    expect(() => load([subscription])).toThrow(why);
    expect(() => load([subscription])).not.toThrow(/BwcH|c2hv|pw@/);
  });

  it('is refused for two of one name, and for what is no JSON', () => {
    expect(() => load([webhook, webhook])).toThrow('two subscriptions called erp');
    writeFileSync(join(folder, 'bad.json'), '{');
    expect(() => loadConfig({ PAYOUTS_EVENTS: join(folder, 'bad.json') })).toThrow('PAYOUTS_EVENTS');
  });

  it('may lead into a private network where it says so, and to this machine', () => {
    expect(() => load([{ ...webhook, url: 'https://10.0.0.7/', privateNetwork: true }])).not.toThrow();
    expect(() => load([{ ...webhook, url: 'http://127.0.0.1:9/' }])).not.toThrow();
    expect(() => load([{ ...webhook, url: 'http://localhost:9/' }])).not.toThrow();
  });
});

describe('the file of advices to payees', () => {
  function advices(given: unknown, env: Record<string, string> = { PAYOUTS_SMTP_URL: 'smtp://127.0.0.1' }) {
    const file = join(folder, 'advice.json');
    writeFileSync(file, JSON.stringify(given));
    return loadConfig({ PAYOUTS_HOME: folder, PAYOUTS_ADVICE: file, ...env }).events.subscriptions;
  }

  it('is a subscription of its own, and needs a mail server', () => {
    const payees = { 'ben-1': { to: 'ap@supplier.example', language: 'de' } };
    expect(advices({ payer: 'Example GmbH', every: '1h', payees })).toEqual([
      {
        name: 'remittance-advice',
        kinds: ['payout.ended', 'payout.returned'],
        to: { kind: 'advice', payer: 'Example GmbH', everyMs: 3_600_000, language: 'en', payees, templates: {} },
      },
    ]);
    expect(() => advices({ payer: 'Example GmbH' }, {})).toThrow('PAYOUTS_SMTP_URL: is missing');
    expect(() => load([{ ...webhook, name: 'remittance-advice' }])).toThrow('is the name of the mails to payees');
  });

  it.each([
    ['nobody who pays', {}, 'payer'],
    ['an unknown language', { payer: 'A', language: 'it' }, 'language'],
    [
      'a place that nothing fills',
      { payer: 'A', templates: { de: { opening: 'An {name}' } } },
      'has braces other than',
    ],
    ['a subject of two lines', { payer: 'A', templates: { de: { subject: 'a\nb' } } }, 'has several lines'],
    ['no address', { payer: 'A', payees: { b: { to: 'a@b, c@d' } } }, 'is not an address'],
  ])('is refused with %s', (_what, given, why) => {
    expect(() => advices(given)).toThrow(why);
  });
});

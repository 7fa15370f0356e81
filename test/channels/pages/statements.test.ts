import { expect, it } from 'vitest';
import { resolveDigest } from '../../../src/domain/authority.ts';
import { softwarePasskey } from '../../support/software-passkey.ts';
import { mt940Of, UNEXPLAINED } from '../http/statement-samples.ts';
import { claimed } from './asking.ts';
import { openPagesOf, type Seen, signedIn, submitFile, type Visit } from './visiting.ts';

async function opened() {
  const { people, gateway } = await openPagesOf({
    alice: 'maker',
    carol: 'operator',
    dave: ['operator', { currencies: ['EUR'] }],
    ada: 'auditor',
  });
  const [payout] = await claimed(gateway, [{ id: 'INV-1', amount: '77.70' }], 'alice');
  return { people, store: gateway.proxy.store, reference: payout?.reference ?? '' };
}

const csrfIn = (text: string): string => /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';

const upload = (visit: Visit, text: string, csrf?: string): Promise<Seen> =>
  submitFile(visit, 'march.sta', text, { page: '/statements', ...(csrf !== undefined && { csrf }) });

it('a statement is taken on the page, whose differences show both sides, and are a table and JSON', async () => {
  const { people, store } = await opened();
  const carol = await signedIn(people, 'carol');
  expect((await carol.send('/statements')).text).toContain('No statement has been submitted yet.');
  expect(await upload(carol, UNEXPLAINED)).toMatchObject({ status: 303, headers: { location: '/statements' } });
  expect(await store.statementsTaken({ limit: 9 })).toMatchObject([{ takenBy: 'carol', entries: 2 }]);
  const { text } = await carol.send('/statements');
  expect(text).toContain('2 differences');
  for (const part of ['acc-u1001-usd', '77.70', '7.70', '930.00', 'Booked by day']) expect(text).toContain(part);
  expect(text.match(/<form[^>]*\/statements\/entries\//g)).toHaveLength(2);
  const table = await carol.send('/statements/differences.csv');
  expect(table.text).toContain('unexplained-debit');
  expect(JSON.parse((await carol.send('/statements/differences.json')).text).discrepancies).toHaveLength(2);
});

it('is refused as a whole or in part, with what is wrong, and taken from nobody else', async () => {
  const { people, store } = await opened();
  const carol = await signedIn(people, 'carol');
  const wrong = await upload(carol, mt940Of(['D5,00NTRF']));
  expect([wrong.status, wrong.text]).toEqual([
    422,
    expect.stringContaining('Not every statement of this file was taken'),
  ]);
  expect((await upload(carol, 'id,uid\n1,u-1001\n')).status).toBe(422);
  expect((await upload(carol, UNEXPLAINED, 'guessed')).status).toBe(403);
  const ada = await signedIn(people, 'ada');
  const shown = await ada.send('/statements');
  expect([shown.status, shown.text.includes('type="file"')]).toEqual([200, false]);
  expect((await upload(ada, UNEXPLAINED)).status).toBe(403);
  const dave = await signedIn(people, 'dave');
  expect((await upload(dave, UNEXPLAINED)).text).toContain('outside your scope');
  expect((await (await signedIn(people, 'alice')).send('/statements')).status).toBe(403);
  expect(await store.statementsTaken({ limit: 9 })).toEqual([]);
});

it('a booking is matched by what an operator has signed with a passkey, and by nothing else', async () => {
  const { people, store, reference } = await opened();
  const carol = await signedIn(people, 'carol');
  await upload(carol, UNEXPLAINED);
  const found = await store.discrepancies({ open: true, limit: 9 });
  const [entry = ''] = found.find(({ kind }) => kind === 'unexplained-debit')?.lineIds ?? [];
  const action = `/statements/entries/${entry}`;
  const fields = { payout: reference, reason: 'asked the bank' };
  const key = people.passkeys.carol ?? softwarePasskey();
  const sign = (more: object = {}, passkey = key) => carol.sign('/statements', action, { ...fields, ...more }, passkey);

  expect((await sign({}, softwarePasskey())).status).toBe(403);
  expect((await sign({ reason: '' })).status).toBe(400);
  expect((await sign({ payout: 'nobody' })).status).toBe(404);
  expect((await carol.submit('/statements', action, fields)).text).toContain('passkeys need JavaScript');
  const asked = await carol.submit('/statements', action, fields, { accept: 'application/json' });
  const { options, statement } = JSON.parse(asked.text);
  const signed = JSON.stringify({ statement, assertion: key.assert(options.challenge, { origin: people.origin }) });
  for (const other of [{ payout: '' }, { reason: 'another reason' }]) {
    expect((await carol.submit('/statements', action, { ...fields, ...other, signed })).status).toBe(409);
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  for (const [name, status] of [
    ['dave', 404],
    ['ada', 403],
    ['alice', 403],
  ] as const) {
    const visit = await signedIn(people, name);
    const body = new URLSearchParams({ _csrf: csrfIn((await visit.send('/')).text), ...fields, signed }).toString();
    expect([name, (await visit.send(action, { method: 'POST', body, headers })).status]).toEqual([name, status]);
  }
  expect(await store.entryDecisions('u-1001')).toEqual([]);

  expect(await carol.submit('/statements', action, { ...fields, signed })).toMatchObject({ status: 303 });
  expect(await store.entryDecisions('u-1001')).toMatchObject([{ lineId: entry, reference, by: 'carol' }]);
  const about = { reference: entry, question: 'resolve', digest: resolveDigest('match', reference) } as const;
  expect(await store.signedDecisionsOf(about)).toMatchObject([{ subject: 'carol', remark: fields.reason }]);
  expect((await carol.send('/statements')).text).not.toContain(action);

  const [other = ''] = found.find(({ kind }) => kind === 'unexplained-credit')?.lineIds ?? [];
  const ofNone = { payout: '', reason: 'rent' };
  expect(await carol.sign('/statements', `/statements/entries/${other}`, ofNone, key)).toMatchObject({ status: 303 });
  expect(await store.entryDecisions('u-1001')).toContainEqual(
    expect.objectContaining({ lineId: other, reference: null, reason: 'rent' }),
  );
});

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { CheckFailure, httpProvider } from '../../../src/bank/payee-checks/provider.ts';

const PAYEE = { name: 'Jane Roe', type: 'personal', country: 'DE', currency: 'EUR', account: { iban_no: 'DE00' } };

interface Seen {
  url: string | undefined;
  authorization: string | undefined;
  body: unknown;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A provider that gives these answers in turn, the last one for ever; asked by somebody who has time. */
const provider = (...answers: Answer[]) => providerWithin(60_000, ...answers);

async function providerWithin(timeoutMs: number, ...answers: Answer[]) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
    const { url, headers } = request;
    seen.push({ url, authorization: headers.authorization, body: JSON.parse(Buffer.concat(chunks).toString()) });
    answers[Math.min(seen.length, answers.length) - 1]?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
  const asked = httpProvider({ name: 'p', url, secret: 'token-1', timeoutMs });
  onTestFinished(async () => {
    await asked.close();
    server.closeAllConnections();
    server.close();
  });
  return { asked, seen };
}

const json =
  (body: unknown, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

it('asks as the contract says, and reads the verdict', async () => {
  const { asked, seen } = await provider(json({ verdict: 'close-match', name: 'Jane Rowe', case_id: '7c1f', more: 1 }));
  expect(await asked.verifyPayee(PAYEE)).toEqual({ verdict: 'close-match', otherName: 'Jane Rowe', caseId: '7c1f' });
  expect(seen).toEqual([{ url: '/base/verify-payee', authorization: 'Bearer token-1', body: PAYEE }]);
});

it('asks a screening for a party alone', async () => {
  const { asked, seen } = await provider(json({ verdict: 'hit', case_id: 'case-19' }));
  const { name, type, country } = PAYEE;
  expect(await asked.screen({ name, type, country })).toEqual({ verdict: 'hit', caseId: 'case-19' });
  expect(seen).toEqual([{ url: '/base/screen', authorization: 'Bearer token-1', body: { name, type, country } }]);
});

it('believes a name of a close match alone', async () => {
  const { asked } = await provider(json({ verdict: 'no-match', name: 'Jane Rowe' }));
  expect(await asked.verifyPayee(PAYEE)).toEqual({ verdict: 'no-match', caseId: undefined });
});

it.each([
  ['HTTP 503', json({}, 503)],
  ['HTTP 429', json({}, 429)],
  ['no answer', ((response) => response.destroy()) as Answer],
])('after %s asks once more', async (_what, first) => {
  const { asked, seen } = await provider(first, json({ verdict: 'match' }));
  expect(await asked.verifyPayee(PAYEE)).toMatchObject({ verdict: 'match' });
  expect(seen).toHaveLength(2);
});

it('never asks a third time', async () => {
  const { asked, seen } = await provider(json({}, 503));
  await expect(asked.verifyPayee(PAYEE)).rejects.toThrow(new CheckFailure('HTTP 503'));
  expect(seen).toHaveLength(2);
});

it.each<[string, Answer, string]>([
  ['a redirect', (response) => response.writeHead(307, { location: '/elsewhere' }).end(), 'HTTP 307'],
  ['a refused token', json({}, 401), 'HTTP 401'],
  ['no JSON', (response) => response.end('<html>Jane Roe</html>'), 'the answer is not JSON'],
  ['a verdict of tomorrow', json({ verdict: 'maybe' }), 'the answer does not follow the contract'],
  ['a member named twice', (response) => response.end('{"verdict":"hit","verdict":"match"}'), 'the answer is not JSON'],
])('%s is no answer, once, and is reported without what was in it', async (_what, answer, reported) => {
  const { asked, seen } = await provider(answer);
  await expect(asked.verifyPayee(PAYEE)).rejects.toThrow(new CheckFailure(reported));
  expect(seen).toHaveLength(1);
});

it('ends within its time, and says so: nobody is asked once more when that is over', async () => {
  const { asked, seen } = await providerWithin(500, () => undefined);
  await expect(asked.screen({ name: 'Jane Roe' })).rejects.toThrow(new CheckFailure('time limit reached'));
  expect(seen.length).toBeLessThanOrEqual(1);
});

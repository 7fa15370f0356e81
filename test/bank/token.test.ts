import { expect, test } from 'vitest';
import { createBank } from '../../src/bank/client.ts';
import { AuthenticationError, type BankError, NotSentError } from '../../src/bank/errors.ts';
import { answer, hangUp, inOrder, ok, type Script, scriptedBank } from './support/scripted-bank.ts';
import { API_KEY, API_SECRET, bankWith, drivenTime, failureOf, PAYMENT, testBank } from './support/test-bank.ts';

/** Hands out token-1, token-2, ... with the life given. */
function numberedTokens(expired_in: unknown): Script {
  let issued = 0;
  return (request, response) => {
    issued += 1;
    ok({ access_token: `token-${issued}`, expired_in })(request, response);
  };
}

/** Answers reads only to the token given, 401 to every other. */
const onlyFor =
  (token: string): Script =>
  (request, response) =>
    (request.headers.authorization === token ? ok([]) : answer(401, 'no'))(request, response);

test('thirty calls at once ask for one token', async () => {
  const { bank, server } = await bankWith(ok([]));
  await Promise.all(Array.from({ length: 30 }, () => bank.accounts.master()));
  expect(server.seen).toHaveLength(30);
  expect(server.tokenRequests).toHaveLength(1);
});

test('thirty calls whose token is refused ask for one new token', async () => {
  const { bank, server } = await bankWith(onlyFor('token-2'), { tokens: numberedTokens(3600) });
  await Promise.all(Array.from({ length: 30 }, () => bank.accounts.master()));
  expect(server.tokenRequests).toHaveLength(2);
});

test('a token that is answered again after its refusal is used, and named only if it is refused again', async () => {
  const refusedOnce = inOrder(answer(401, 'no'), ok([]), ok([]), answer(401, 'no'), answer(401, 'no'));
  const { bank, server } = await bankWith(refusedOnce, { tokens: ok({ access_token: 'same', expired_in: 3600 }) });
  await bank.accounts.master();
  await bank.accounts.master();
  const error = await failureOf(bank.accounts.master());
  expect(error.message).toContain('/v1/auth answers again the token that the bank has refused');
  expect(error.message).not.toContain('same');
  expect(server.tokenRequests.map(({ headers }) => headers['cache-control'])).toContain('no-cache');
});

test('a token is renewed at 80 % of its life, not before', async () => {
  const time = drivenTime();
  const { bank, server } = await bankWith(ok([]), { tokens: numberedTokens(1000), ...time });
  await bank.accounts.master();
  time.now += 799_000;
  await bank.accounts.master();
  expect(server.tokenRequests).toHaveLength(1);
  time.now += 1_000;
  await bank.accounts.master();
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['token-1', 'token-1', 'token-2']);
});

test('tokens that live one second work', async () => {
  const time = drivenTime();
  const { bank, server } = await bankWith(ok([]), { tokens: numberedTokens(1), ...time });
  for (let call = 0; call < 4; call += 1) {
    await bank.accounts.master();
    time.now += 500;
  }
  expect(server.tokenRequests).toHaveLength(2);
});

test.each([undefined, null, 'soon', -5])('expired_in %s falls back to a short life', async (expiredIn) => {
  const time = drivenTime();
  const { bank, server } = await bankWith(ok([]), { tokens: numberedTokens(expiredIn), ...time });
  await bank.accounts.master();
  time.now += 200_000;
  await bank.accounts.master();
  expect(server.tokenRequests).toHaveLength(1);
  time.now += 100_000;
  await bank.accounts.master();
  expect(server.tokenRequests).toHaveLength(2);
});

test('a read refused with 401 is asked once more with a new token, then fails as authentication', async () => {
  const { bank, server } = await bankWith(answer(401, 'no'), { tokens: numberedTokens(3600) });
  const error = await failureOf<BankError>(bank.accounts.master());
  expect(error).toBeInstanceOf(AuthenticationError);
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['token-1', 'token-2']);
});

test.each([
  [true, 'not-sent'],
  [false, 'ambiguous'],
])(
  'a write refused with 401 is not repeated (authBeforeExecution %s: %s), the next call has a new token',
  async (authBeforeExecution, outcome) => {
    const { bank, server } = await bankWith(inOrder(answer(401, 'no'), ok({ order_id: '1' })), {
      tokens: numberedTokens(3600),
      authBeforeExecution,
    });
    const error = await failureOf<BankError>(bank.transactions.payment(PAYMENT));
    expect(error).toMatchObject({ name: 'AuthenticationError', outcome, tokenSuspect: true, httpStatus: 401 });
    expect(server.seen).toHaveLength(1);
    await bank.transactions.payment(PAYMENT);
    expect(server.seen.at(-1)?.headers.authorization).toBe('token-2');
  },
);

test('2002 under a token in its last minute makes the token suspect: a read repeats, a write says so', async () => {
  const badRequest = answer(200, { code: 2002, msg: 'Bad Request' });
  const { bank, server } = await bankWith(inOrder(badRequest, ok([]), badRequest), { tokens: numberedTokens(50) });
  await bank.accounts.master();
  const error = await failureOf<BankError>(bank.transactions.payment(PAYMENT));
  expect(error).toMatchObject({ condition: 'bad-request', tokenSuspect: true, outcome: 'refused' });
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['token-1', 'token-2', 'token-2']);
});

test('2002 under a young token is about the request', async () => {
  const { bank, server } = await bankWith(answer(200, { code: 2002, msg: 'Bad Request' }));
  const error = await failureOf<BankError>(bank.accounts.master());
  expect(error).toMatchObject({ condition: 'bad-request', tokenSuspect: false });
  expect(server.seen).toHaveLength(1);
});

test.each<[string, Script]>([
  ['401', answer(401, 'no')],
  ['403', answer(403, '<html>')],
  ['an envelope code under 200', answer(200, { code: 2002, msg: 'Bad Request' })],
  ['an envelope code under 400', answer(400, { code: 2008, msg: 'Operation Failed' })],
  ['an answer without a token', ok({ expired_in: 5 })],
  ['a token that would break the header', ok({ token: 'a\r\nX-Admin: 1' })],
])('the token endpoint refusing the key (%s) is final', async (_what, tokenScript) => {
  const { bank, server } = await bankWith(ok([]), { tokens: tokenScript });
  for (const call of [
    () => bank.authenticate(),
    () => bank.accounts.master(),
    () => bank.transactions.payment(PAYMENT),
  ]) {
    const error = await failureOf<BankError>(call());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ retryable: false, outcome: 'not-sent', operation: 'POST /v1/auth' });
  }
  expect(server.seen).toEqual([]);
  expect(server.tokenRequests).toHaveLength(3);
});

test.each<[string, Script]>([
  ['hangs up', hangUp],
  ['answers 500', answer(500, { code: 2001 })],
  ['is rate limited', answer(429, { code: 2008 })],
  ['answers 503 with HTML', answer(503, '<html>')],
  ['reports an internal error under 200', answer(200, { code: 2001, msg: 'Internal Server Error' })],
])('a token endpoint that %s leaves a write unsent and a read retried', async (_what, tokenScript) => {
  const { bank, server } = await bankWith(ok([]), {
    tokens: inOrder(tokenScript, tokenScript, ok({ token: 't' })),
    ...drivenTime(),
  });
  const error = await failureOf<BankError>(bank.transactions.payment(PAYMENT));
  expect(error).toBeInstanceOf(NotSentError);
  expect(error.retryable).toBe(true);
  expect(await bank.accounts.master()).toEqual([]);
  expect(server.seen.map(({ method }) => method)).toEqual(['GET']);
});

test.each<[string, unknown]>([
  ['access_token in data', { code: 0, data: { access_token: 'T' } }],
  ['token in data', { code: 0, msg: 'Ok', data: { token: 'T', expired_in: '60' } }],
  ['access_token at the top', { access_token: 'T', expired_in: 60 }],
  ['token at the top of an envelope', { code: 0, token: 'T' }],
])('finds %s', async (_where, body) => {
  const { bank, server } = await bankWith(ok([]), { tokens: answer(200, body) });
  await bank.accounts.master();
  expect(server.seen[0]?.headers.authorization).toBe('T');
});

test('token field, prefix and template are options; key and secret are escaped and never expanded again', async () => {
  await using server = await scriptedBank(ok([]), ok({ token: 'wrong', jwt: 'T' }));
  const auth = { body: '{"id":"{key}","pass":"{secret}","grant":"api"}', tokenField: 'jwt', prefix: 'Bearer' };
  await using bank = testBank(server.baseUrl, { auth });
  await bank.accounts.master();
  expect(JSON.parse(server.tokenRequests[0]?.body ?? '')).toEqual({ id: API_KEY, pass: API_SECRET, grant: 'api' });
  expect(server.seen[0]?.headers.authorization).toBe('Bearer T');
});

test('with GET the members of the template are headers and there is no body', async () => {
  const { bank, server } = await bankWith(ok([]), {
    auth: { method: 'GET', body: '{"x-api-key":"{key}","x-api-secret":"{secret}"}' },
  });
  await bank.accounts.master();
  expect(server.tokenRequests[0]).toMatchObject({
    method: 'GET',
    body: '',
    headers: { 'x-api-key': API_KEY, 'x-api-secret': API_SECRET },
  });
});

test('authenticate asks only when needed, and again with force', async () => {
  const { bank, server } = await bankWith(ok([]));
  await bank.authenticate();
  await bank.authenticate();
  expect(server.tokenRequests).toHaveLength(1);
  await bank.authenticate({ force: true });
  expect(server.tokenRequests).toHaveLength(2);
});

test('neither key, secret, token nor the bank’s free text is in an error', async () => {
  const { bank } = await bankWith(answer(500, { code: 2001, msg: 'payee Jane Roe' }), {
    tokens: ok({ token: 'tok-en' }),
    ...drivenTime(),
  });
  const error = await failureOf<BankError>(bank.transactions.payment(PAYMENT));
  const shown = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
  for (const secret of ['tok-en', 'Jane', API_KEY, API_SECRET, PAYMENT.account_id, PAYMENT.amount, PAYMENT.reference]) {
    expect(shown).not.toContain(secret);
  }
});

test('a template that is no JSON is refused at once without showing the secret', () => {
  const options = { baseUrl: 'http://127.0.0.1:1', apiKey: 'k', apiSecret: 'very-secret' };
  const create = () => createBank({ ...options, auth: { body: 'key={key}&secret={secret}' } });
  expect(create).toThrow(TypeError);
  expect(create).not.toThrow(/very-secret/);
});

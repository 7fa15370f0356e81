import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type BankError, NotSentError, UnknownOutcomeError } from '../../src/bank/errors.ts';
import { limitsPass, watchLimits } from '../support/time-limit.ts';
import { answer, hangUp, noAnswer, ok, raw, type Script, scriptedBank } from './support/scripted-bank.ts';
import { bankWith, failureOf, PAYMENT, testBank } from './support/test-bank.ts';

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const accountOf = (id: string) => ({ uid: 'u-1', account_id: id, currency: 'USD', balance: '1.00' });

/** A payment against a bank that answers with `script`: its failure and how many POSTs arrived. */
async function payAgainst(script: Script, options = {}): Promise<{ error: BankError; posts: number }> {
  const { bank, server } = await bankWith(script, options);
  const error = await failureOf<BankError>(bank.transactions.payment(PAYMENT));
  return { error, posts: server.seen.length };
}

describe('a write whose bytes may have left is ambiguous and never sent again', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
  const drip: Script = (_request, response) => {
    response.writeHead(200);
    let pieces = 0;
    const timer = setInterval(() => {
      response.write(' ');
      pieces += 1;
      if (pieces === 5) limitsPass();
    }, 5);
    response.on('close', () => clearInterval(timer));
  };
  const cases: [string, Script][] = [
    ['the connection is reset after the request', hangUp],
    ['the connection ends without an answer', raw('')],
    ['no answer comes inside the time limit', limitsPass],
    ['the head arrives and the body never does', raw(`${HEAD}Content-Length: 100\r\n\r\n`)],
    ['half of the announced body arrives', raw(`${HEAD}Content-Length: 60\r\n\r\n{"code":0,"data":{"order_id":"1"}}`)],
    ['the body drips beyond the total time limit', drip],
    ['the answer is no HTTP', raw('SSH-2.0-OpenSSH_9.6\r\n')],
    ['the body is larger than the limit', ok({ order_id: 'x'.repeat(5_000) })],
    ['the body is HTML', answer(200, '<html>Gateway</html>')],
    ['the body is empty', answer(200, '')],
    ['the body is no UTF-8', raw(`${HEAD}Content-Length: 9\r\n\r\n{"code":\xff`)],
  ];
  test.each(cases)('when %s', async (_what, script) => {
    watchLimits();
    const { error, posts } = await payAgainst(script, { limits: { bodyBytesMax: 4_096 } });
    expect(error).toBeInstanceOf(UnknownOutcomeError);
    expect(error.outcome).toBe('ambiguous');
    expect(posts).toBe(1);
  });
});

describe('a write of which provably nothing left is not sent', () => {
  test('when the connection is refused', async () => {
    await using server = await scriptedBank(ok());
    const port = await closedPort();
    await using bank = testBank(`http://127.0.0.1:${port}`);
    const error = await failureOf<BankError>(bank.transactions.payment(PAYMENT));
    expect(error).toBeInstanceOf(NotSentError);
    expect(error).toMatchObject({ outcome: 'not-sent', retryable: true });
    expect(server.seen).toEqual([]);
  });

  test('when the port closes between the token and the payment', async () => {
    const server = await scriptedBank(ok());
    await using bank = testBank(server.baseUrl);
    await bank.authenticate();
    await server[Symbol.asyncDispose]();
    const error = await failureOf<BankError>(bank.transactions.payment(PAYMENT));
    expect(error).toBeInstanceOf(NotSentError);
    expect(error.operation).toBe('POST /v1/banking/transactions/payment');
  });

  test('when the TLS handshake fails or never ends', async () => {
    for (const onConnection of ['close', 'no-answer'] as const) {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        if (onConnection === 'close') socket.end();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      await using bank = testBank(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, {
        limits: { connectMs: 100 },
      });
      const error = await failureOf<BankError>(bank.transactions.payment(PAYMENT));
      expect(error).toBeInstanceOf(NotSentError);
      server.close();
    }
  });

  test('when its sender stops it: the cause is its error and the bank sees no request', async () => {
    const { bank, server } = await bankWith(ok({ order_id: '1' }));
    const tooOld = new Error('intent is too old');
    const error = await failureOf<BankError>(
      bank.transactions.payment(PAYMENT, {
        beforeFirstByte: () => {
          throw tooOld;
        },
      }),
    );
    expect(error).toBeInstanceOf(NotSentError);
    expect(error.cause).toBe(tooOld);
    expect(server.seen).toEqual([]);
    expect(server.tokenRequests).toHaveLength(1);
  });

  test('when the caller aborts before the token is there, and the sender is not asked', async () => {
    const { bank, server } = await bankWith(ok({ order_id: '1' }), { tokens: noAnswer });
    const controller = new AbortController();
    let asked = 0;
    const call = bank.transactions.payment(PAYMENT, { signal: controller.signal, beforeFirstByte: () => asked++ });
    controller.abort();
    expect(await failureOf(call)).toBeInstanceOf(NotSentError);
    expect({ asked, posts: server.seen.length }).toEqual({ asked: 0, posts: 0 });
  });
});

test('a write the caller aborts after its bytes left is ambiguous', async () => {
  const controller = new AbortController();
  const { bank, server } = await bankWith(() => controller.abort());
  const error = await failureOf<BankError>(bank.transactions.payment(PAYMENT, { signal: controller.signal }));
  expect(error).toBeInstanceOf(UnknownOutcomeError);
  expect(server.seen).toHaveLength(1);
});

test('the sender is asked once, after the token is there', async () => {
  const { bank, server } = await bankWith(ok({ order_id: '1' }));
  const tokensWhenAsked: number[] = [];
  await bank.transactions.payment(PAYMENT, {
    beforeFirstByte: () => tokensWhenAsked.push(server.tokenRequests.length),
  });
  expect(tokensWhenAsked).toEqual([1]);
});

test('every write has a connection of its own, reads share one', async () => {
  const { bank, server } = await bankWith((request, response) => {
    const data = request.method === 'GET' ? accountOf('acc-1') : { order_id: '1' };
    ok(data)(request, response);
  });
  await bank.accounts.get('acc-1');
  await bank.transactions.payment(PAYMENT);
  await bank.accounts.get('acc-1');
  await bank.transactions.payment(PAYMENT);
  const [read1, write1, read2, write2] = server.seen.map(({ connection }) => connection);
  expect(read1).toBe(read2);
  expect(new Set([read1, write1, write2]).size).toBe(3);
});

test.each([301, 302, 303, 307, 308])(
  'HTTP %i is not followed: ambiguous on a write, final on a read',
  async (status) => {
    await using elsewhere = await scriptedBank(ok({ order_id: 'stolen' }));
    const { bank, server } = await bankWith(
      answer(status, '', { location: `${elsewhere.baseUrl}/v1/banking/accounts` }),
    );
    const onWrite = await failureOf<BankError>(bank.transactions.payment(PAYMENT));
    const onRead = await failureOf<BankError>(bank.accounts.master());
    expect(onWrite).toBeInstanceOf(UnknownOutcomeError);
    expect(onWrite.outcome).toBe('ambiguous');
    expect(onRead).toMatchObject({ name: 'UnknownOutcomeError', retryable: false, httpStatus: status });
    expect(elsewhere.seen).toEqual([]);
    expect(server.seen).toHaveLength(2);
  },
);

test('proxies named in the environment are not used', async () => {
  await using proxy = await scriptedBank(ok([]));
  await using server = await scriptedBank(ok([]));
  const before = { ...process.env };
  Object.assign(process.env, {
    HTTP_PROXY: proxy.baseUrl,
    http_proxy: proxy.baseUrl,
    NODE_USE_ENV_PROXY: '1',
    NO_PROXY: '',
  });
  try {
    await using bank = testBank(server.baseUrl);
    await bank.accounts.master();
  } finally {
    process.env = before;
  }
  expect(proxy.seen).toEqual([]);
  expect(server.seen).toHaveLength(1);
});

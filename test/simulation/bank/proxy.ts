import type { HttpAnswer, HttpRequest } from '../../../src/bank/transport.ts';
import type { TrafficMinute } from '../../support/checker/observation.ts';
import type { Random } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { ReadFault, WriteFault } from './faults.ts';
import type { ListCache } from './list-cache.ts';
import type { ModelBank, Post } from './model-bank.ts';
import { bankTime } from './profile.ts';
import { answerRead, execute, type Reading, readingOf } from './routes.ts';
import { answer, envelope, Refusal, refused, succeeded } from './wire.ts';

/** What becomes of a request that has reached the bank. */
export type Reply =
  | { kind: 'answer'; answer: HttpAnswer }
  /** After the client's limit. */
  | { kind: 'late'; answer: HttpAnswer }
  | { kind: 'dropped' }
  | { kind: 'no-answer' };

const HTML = '<html><body>502 Bad Gateway</body></html>';
/** A token that has no more than this to live is as good as new. */
const CALM_TOKEN_LIFE_S = 1_800;

interface ProxyOptions {
  time: VirtualTime;
  random: Random;
  trace: (line: string) => void;
  isCalm: () => boolean;
  cache?: ListCache | undefined;
  /** Who comes in here; absent: the first home. */
  home?: number;
}

/** The bank's HTTP side: tokens, the record of what came in, and answers that go wrong. */
export class BankProxy {
  private readonly bank: ModelBank;
  private readonly time: VirtualTime;
  private readonly random: Random;
  private readonly isCalm: () => boolean;
  private readonly trace: (line: string) => void;
  private readonly tokens = new Map<string, number>();
  private readonly minutes = new Map<number, number>();
  private readonly cache: ListCache | undefined;
  private readonly home: number | undefined;

  constructor(bank: ModelBank, { time, random, trace, isCalm, cache, home }: ProxyOptions) {
    this.bank = bank;
    this.time = time;
    this.random = random;
    this.trace = trace;
    this.isCalm = isCalm;
    this.cache = cache;
    this.home = home;
  }

  get traffic(): TrafficMinute[] {
    return [...this.minutes].map(([minute, requests]) => ({ minute, requests }));
  }

  receive(request: HttpRequest, fault: WriteFault | ReadFault | undefined): Reply {
    const reply = this.reply(request, fault);
    const { profile } = this.bank;
    if (!profile.reportsTime || !('answer' in reply)) return reply;
    const { headers } = reply.answer;
    const date = new Date(bankTime(profile, this.time.now - Number(headers.age ?? 0) * 1_000)).toUTCString();
    // A cache may say how old its answer is, or leave it to the date.
    const { age: _age, ...withoutAge } = headers;
    return {
      ...reply,
      answer: { ...reply.answer, headers: { ...(profile.reportsCacheAge === false ? withoutAge : headers), date } },
    };
  }

  private reply(request: HttpRequest, fault: WriteFault | ReadFault | undefined): Reply {
    const reading = readingOf(request);
    this.count(reading);
    if (reading.path === '/v1/auth') return this.broken(this.token(), fault as ReadFault | undefined);
    const unauthorized = this.unauthorized(request);
    if (request.method === 'GET') {
      const good = unauthorized ?? this.cache?.answer(reading) ?? answerRead(this.bank, this.random, reading);
      return this.broken(good, fault as ReadFault | undefined);
    }
    return this.write(request, reading, unauthorized, fault as WriteFault | undefined);
  }

  /** How long a list is, is the bank's own doing: its further pages are not counted. */
  private count({ query }: Reading): void {
    if (Number(query.get('page') ?? 1) > 1) return;
    const minute = Math.floor(this.time.now / 60_000);
    this.minutes.set(minute, (this.minutes.get(minute) ?? 0) + 1);
  }

  private token(): HttpAnswer {
    const lifeS = this.isCalm() ? CALM_TOKEN_LIFE_S : this.bank.profile.tokenLifeS;
    const token = `token-${this.tokens.size + 1}`;
    this.tokens.set(token, this.time.now + lifeS * 1_000);
    return succeeded({ access_token: token, expired_in: lifeS });
  }

  private unauthorized({ headers }: HttpRequest): HttpAnswer | undefined {
    if ((this.tokens.get(headers.authorization ?? '') ?? 0) > this.time.now) return undefined;
    return this.bank.profile.expiredToken === 'http-401' ? answer(401, '') : refused(2002, this.bank.profile);
  }

  /** A read, or a token, with what can go wrong on the way back. */
  private broken(good: HttpAnswer, fault: ReadFault | undefined): Reply {
    switch (fault) {
      case 'drop':
        return { kind: 'dropped' };
      case 'slow':
        return { kind: 'late', answer: good };
      case 'html':
        return { kind: 'answer', answer: answer(this.random.pick([200, 404, 502]), HTML) };
      case 'truncated':
        return { kind: 'answer', answer: { ...good, body: good.body?.slice(0, -7) } };
      case 'code-2001':
        return { kind: 'answer', answer: refused(2001, this.bank.profile) };
      case 'code-2011':
        return { kind: 'answer', answer: refused(2011, this.bank.profile) };
      case 'unauthorized':
        return { kind: 'answer', answer: answer(this.random.pick([401, 403]), '') };
      case 'too-many':
        return { kind: 'answer', answer: answer(this.random.pick([429, 503]), '', { 'retry-after': '2' }) };
      default:
        return { kind: 'answer', answer: good };
    }
  }

  private write(
    request: HttpRequest,
    reading: Reading,
    unauthorized: HttpAnswer | undefined,
    fault: WriteFault | undefined,
  ): Reply {
    const post = this.noted(request, reading);
    const body = post.body ?? {};
    if (unauthorized !== undefined) return this.answered(post, unauthorized);
    if (fault?.endsWith('-before') === true) this.bank.drop(body.reference);
    switch (fault) {
      case 'drop-before':
        if (this.bank.profile.spelling !== undefined && post.route === 'payment') this.bank.machine.likeThat(body);
        return { kind: 'dropped' };
      case 'hang-before':
        return { kind: 'no-answer' };
      case 'unauthorized':
        return this.answered(post, answer(this.random.pick([401, 403]), ''));
      case 'too-many':
        return this.answered(post, answer(this.random.pick([429, 503]), ''));
      case 'redirect':
        return this.answered(post, answer(307, '', { location: '/elsewhere' }));
      case 'commit-late':
      case 'commit-late-html':
      case 'commit-after-window':
        return this.commitLate(post, reading, fault);
    }
    const isBefore = fault?.endsWith('-before') === true;
    const good = isBefore ? undefined : this.commit(post, reading, body);
    const { executesRefused = 0 } = this.bank.profile;
    const isOrder = post.madeId !== null && (post.route === 'payment' || post.route === 'fx');
    if (
      fault === undefined &&
      isOrder &&
      !this.isCalm() &&
      executesRefused > 0 &&
      this.random.chance(executesRefused)
    ) {
      this.trace(`bank: refuses ${post.route} that it has executed`);
      const { profile } = this.bank;
      return this.answered(post, this.random.pick([refused(2010, profile), refused(2002, profile), answer(401, '')]));
    }
    return this.garbled(post, good, fault);
  }

  private garbled(post: Post, good: HttpAnswer | undefined, fault: WriteFault | undefined): Reply {
    const html = answer(this.random.pick([200, 404, 500, 502, 504]), HTML);
    const whole = good ?? succeeded({ order_id: 'ord-0' });
    switch (fault?.replace(/-(before|after)$/, '')) {
      case undefined:
      case 'slow-connect':
        return this.answered(post, whole);
      case 'drop':
        return { kind: 'dropped' };
      case 'answer-late':
        this.answered(post, whole);
        return { kind: 'late', answer: whole };
      case 'html':
        return this.answered(post, html);
      case 'truncated':
        return this.answered(post, { ...whole, body: whole.body?.slice(0, -4) }, null);
      case 'garbled':
        return this.answered(post, { ...whole, body: undefined }, null);
      case 'unknown-code':
        return this.answered(post, answer(200, envelope(2999)));
      case '5xx-refusal':
        return this.answered(
          post,
          answer(this.random.pick([500, 502, 503]), envelope(this.random.pick([2002, 2009, 2010]))),
        );
      case 'no-order-id':
        return this.answered(post, succeeded(this.random.pick([{}, { order_id: '' }, undefined])));
      case '2001':
      case '2008':
      case '2011':
        return this.answered(post, refused(Number(fault?.slice(0, 4)), this.bank.profile));
      default:
        throw new Error(`no fault is called ${fault}`);
    }
  }

  /** The answer is lost now, and the order is made later: inside the window that the product counts on, or long after it. */
  private commitLate(
    post: Post,
    reading: Reading,
    fault: 'commit-late' | 'commit-late-html' | 'commit-after-window',
  ): Reply {
    const { bank, time, random } = this;
    const { body } = post;
    if (bank.knows(body?.reference) === undefined) {
      bank.expect(body?.reference);
      const { commitDelayMs } = bank.profile;
      const inTime = random.between(1, random.chance(0.5) ? 20_000 : commitDelayMs);
      const delay =
        fault === 'commit-after-window' ? commitDelayMs * 2 + random.spell(300_000) : Math.min(inTime, commitDelayMs);
      time[fault === 'commit-after-window' ? 'expect' : 'after'](delay, () => {
        bank.forget(body?.reference);
        this.commit(post, reading, body ?? {});
      });
    }
    if (fault === 'commit-late-html') return this.answered(post, answer(504, HTML));
    return random.chance(0.5) ? { kind: 'dropped' } : { kind: 'no-answer' };
  }

  private commit(post: Post, reading: Reading, body: Record<string, unknown>): HttpAnswer {
    const { bank } = this;
    try {
      const id = execute(bank, reading, body);
      post.committedAt = this.time.now;
      post.madeId = id;
      if (post.route === 'beneficiary') return succeeded({ beneficiary_id: id });
      return post.orderId === null ? succeeded({ order_id: this.idAnswered(post, id) }) : answer(200, envelope(0));
    } catch (error) {
      if (error instanceof Refusal) return refused(error.code, bank.profile);
      throw error;
    }
  }

  /** Of the order that was made, or of another one. */
  private idAnswered({ route, body }: Post, id: string): string {
    const { answersOthersId = 0 } = this.bank.profile;
    if (route !== 'payment' || answersOthersId === 0 || !this.random.chance(answersOthersId)) return id;
    const others = this.bank.machine.orders.filter(
      ({ asked }) => asked?.type === 'PAYMENT' && asked.reference !== body?.reference,
    );
    if (others.length === 0) return id;
    this.trace(`bank: answers with the id of another order than ${id}`);
    return this.random.pick(others).orderId;
  }

  private answered(post: Post, given: HttpAnswer, code: number | null | undefined = codeOf(given)): Reply {
    post.answered = { httpStatus: given.status, code: code ?? null };
    this.trace(`bank: ${post.route} answered HTTP ${given.status}, code ${code ?? 'none'}`);
    return { kind: 'answer', answer: given };
  }

  private noted({ body }: HttpRequest, { path }: Reading): Post {
    const [, , , resource, id = '', detail] = path.split('/');
    const route =
      resource === 'beneficiaries' ? 'beneficiary' : ((detail ?? (id === '' ? 'payment' : id)) as Post['route']);
    const post: Post = {
      route,
      orderId: detail === undefined ? null : id,
      receivedAt: this.time.now,
      body: body === undefined ? null : (JSON.parse(body) as Record<string, unknown>),
      committedAt: null,
      madeId: null,
      answered: null,
      ...(this.home === undefined ? {} : { home: this.home }),
    };
    this.bank.posts.push(post);
    this.trace(`bank: receives ${route} ${post.orderId ?? String(post.body?.reference ?? '')}`);
    return post;
  }
}

function codeOf({ body }: HttpAnswer): number | null {
  try {
    const { code } = JSON.parse(body ?? '') as { code?: unknown };
    return typeof code === 'number' ? code : null;
  } catch {
    return null;
  }
}

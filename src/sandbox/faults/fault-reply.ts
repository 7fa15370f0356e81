import type { ServerResponse } from 'node:http';
import type { Profile } from '../bank/profile.ts';
import { type Answer, html, json, refusal, send, sendHead } from '../http/answer.ts';
import { Refusal } from '../requests.ts';
import type { FaultEffect } from './faults.ts';

/** What the client sees: an answer, possibly late or slow, part of one, a closed socket, or nothing. */
export type Reply =
  | { answer: Answer; delayMs?: number }
  | { drip: Answer; ms: number }
  | { cut: Answer }
  | 'hang-up'
  | 'no-answer';

/** The operation, which a fault may prevent or delay. */
export interface Operation {
  now(): Answer;
  /** In `ms` by the sandbox's clock, whether or not anyone still waits. */
  later(ms: number): void;
}

/** Runs the operation unless the fault prevents it, and returns what the fault lets the client see. */
export function replyUnder(fault: FaultEffect, operation: Operation, profile: Profile): Reply {
  switch (fault.kind) {
    case 'refuse-before':
    case 'drop-before':
      return 'hang-up';
    case 'drop-after':
      operation.now();
      return 'hang-up';
    case 'delay-after':
      return { answer: operation.now(), delayMs: fault.ms };
    case 'slow-after':
      return { drip: operation.now(), ms: fault.ms };
    case 'late-commit':
      operation.later(fault.ms);
      return fault.hangUp ? 'hang-up' : 'no-answer';
    case 'garbage-after':
      return spoilt(operation.now(), fault.form);
    case 'http':
      if (fault.commit) operation.now();
      return { answer: html(fault.status, fault.retryAfterSeconds) };
    case 'code':
      if (fault.commit) operation.now();
      return { answer: refusal(new Refusal(fault.code), profile, fault.httpStatus) };
  }
}

type GarbageForm = Extract<FaultEffect, { kind: 'garbage-after' }>['form'];

function spoilt(answer: Answer, form: GarbageForm): Reply {
  const body = Buffer.from(answer.body);
  const unreadable = { ...answer, value: undefined };
  switch (form) {
    case 'half':
      return { answer: { ...unreadable, body: body.subarray(0, body.length / 2) } };
    case 'cut':
      return { cut: answer };
    case 'no-utf8':
      return { answer: { ...unreadable, body: Buffer.concat([body, Buffer.from([0xff, 0xfe])]) } };
    case 'no-data':
      return { answer: json(200, { code: 0, msg: 'Ok' }) };
    case 'text-code':
      return { answer: { ...unreadable, body: misspelt(body.toString()) } };
  }
}

/** `code` as a string; in a bare answer of the acquirer, which has no code, the id as null. */
const misspelt = (body: string): string =>
  body.replace('"code":0', '"code":"0"').replace(/"(payment_id|reference_id)":"[^"]*"/, '"$1":null');

export function deliver(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang-up') response.socket?.destroy();
  else if (reply === 'no-answer') return;
  else if ('cut' in reply) cut(response, reply.cut);
  else if ('drip' in reply) drip(response, reply.drip, reply.ms);
  else sendAfter(response, reply.answer, reply.delayMs ?? reply.answer.notBeforeMs);
}

function sendAfter(response: ServerResponse, answer: Answer, ms: number | undefined): void {
  if (ms === undefined) send(response, answer);
  else setTimeout(() => send(response, answer), ms).unref();
}

function cut(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  sendHead(response, answer);
  response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy());
}

const DRIP_PIECES = 20;

function drip(response: ServerResponse, answer: Answer, ms: number): void {
  const body = Buffer.from(answer.body);
  const size = Math.ceil(body.length / DRIP_PIECES);
  let sent = 0;
  sendHead(response, answer);
  response.flushHeaders();
  const timer = setInterval(
    () => {
      response.write(body.subarray(sent, sent + size));
      sent += size;
      if (sent < body.length) return;
      clearInterval(timer);
      response.end();
    },
    Math.ceil(ms / DRIP_PIECES),
  ).unref();
  response.once('close', () => clearInterval(timer));
}

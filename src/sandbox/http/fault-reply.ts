import type { ServerResponse } from 'node:http';
import type { Fault } from '../faults.ts';
import type { Profile } from '../profile.ts';
import { Refusal } from '../refusal.ts';
import { type Answer, html, refusal, send } from './answer.ts';

/** What the peer gets to see: an answer, a late one, or a closed socket. */
export type Reply = { answer: Answer; delayMs?: number } | 'hang-up';

/** Runs the operation unless the fault keeps it from committing, and shows what the fault lets through. */
export function replyUnder(fault: Fault, operate: () => Answer, profile: Profile): Reply {
  switch (fault.kind) {
    case 'refuse-before':
    case 'drop-before':
      return 'hang-up';
    case 'drop-after':
      operate();
      return 'hang-up';
    case 'delay-after':
      return { answer: operate(), delayMs: fault.ms };
    case 'garbage-after': {
      const answer = operate();
      return { answer: { ...answer, body: answer.body.slice(0, answer.body.length / 2) } };
    }
    case 'http':
      if (fault.commit) operate();
      return { answer: html(fault.status) };
    case 'code':
      if (fault.commit) operate();
      return { answer: refusal(new Refusal(fault.code), profile, fault.httpStatus) };
  }
}

export function deliver(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang-up') response.socket?.destroy();
  else if (reply.delayMs === undefined) send(response, reply.answer);
  else setTimeout(() => send(response, reply.answer), reply.delayMs).unref();
}

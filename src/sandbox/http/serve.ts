import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerPage } from '../acquirer/page-routes.ts';
import { answerCheck } from '../checks/check-handler.ts';
import { deliver } from '../faults/fault-reply.ts';
import type { Sandbox } from '../sandbox.ts';
import { failure, send, TOO_LARGE } from './answer.ts';
import { answerApi } from './api-handler.ts';
import { BodyTooLarge } from './body.ts';
import { queryOf } from './router.ts';
import { answerTest } from './test-handler.ts';

export async function serve(sandbox: Sandbox, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
    const target = { method: request.method ?? '', pathname, query: queryOf(searchParams) };
    if (pathname.startsWith('/__sandbox/')) send(response, await answerTest(sandbox, request, target));
    else {
      const page = (await answerCheck(sandbox, request, target)) ?? (await answerPage(sandbox, request, target));
      if (page === undefined) deliver(response, await answerApi(sandbox, request, target));
      else send(response, page);
    }
  } catch (error) {
    if (request.destroyed && !request.complete) return;
    if (error instanceof BodyTooLarge) {
      response.setHeader('connection', 'close');
      send(response, TOO_LARGE);
    } else {
      send(response, failure(error, sandbox.books.profile));
    }
  }
}

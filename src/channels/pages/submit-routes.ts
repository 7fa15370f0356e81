import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Problem } from '../../domain/problem.ts';
import { FILE_BYTES_MAX } from '../../files/input.ts';
import { IntakeRefusal } from '../../files/intake/intake-refusal.ts';
import { assertPlan, takeFile } from '../../files/intake/take-file.ts';
import { answerOf } from '../http/answer-error.ts';
import type { Caller } from '../http/callers.ts';
import { uploadsOf } from '../http/gateway-app.ts';
import { takeInTurn } from '../http/intake-turns.ts';
import { accessOf, type CallerAccess } from '../http/route-access.ts';
import { parsed, storableText } from '../http/schemas.ts';
import { assertFileName, receive, tooLarge } from '../http/upload.ts';
import { show, viewOf } from './layout.ts';
import type { PagesContext } from './pages-context.ts';
import type { PendingUpload, PendingUploads } from './pending-uploads.ts';
import { batchPath } from './pieces.ts';
import { choosePage, type PlanPage, planPage, refusedPage, type SubmitOptions } from './submit-page.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** In a form with a file: the file, which follows the fields. */
    part: MultipartFile | undefined;
  }
}

const yes = z
  .literal('yes')
  .optional()
  .transform((value) => value === 'yes');
const SUBMITTING: CallerAccess = { roles: ['maker'], scope: 'each' };

const options = z.object({ skip: yes, meant: yes });
const agreeBody = options.extend({ plan: z.string().max(100), by: storableText.optional() });

/** `/batches/new/ID`: the state of a submitted file, and the plan to confirm. */
export function planRoutes(app: FastifyInstance, context: PagesContext, uploads: PendingUploads): void {
  const { gateway, policy } = context;
  const heldIn = (request: FastifyRequest): PendingUpload => {
    const { upload } = request.params as { upload: string };
    const held = uploads.find(upload, request.caller.name, gateway.now());
    if (held !== undefined) return held;
    throw new Problem('not-found', 'unknown-id', 'This file is no longer available.', { hint: 'Submit it again.' });
  };
  const takeIn = async (held: PendingUpload, caller: Caller, asked: SubmitOptions & { by?: string; plan?: string }) => {
    const { skip, meant, by, plan } = asked;
    const dryRun = plan === undefined;
    const taking = {
      invalid: skip ? 'skip' : 'stop',
      allowLookAlikes: meant,
      by,
      dryRun,
      batchId: held.batchId,
    } as const;
    return takeInTurn(gateway, caller, (handedBy) =>
      takeFile(gateway, held.upload.path, { ...taking, ...handedBy }, (planned) => assertPlan(planned.plan, plan)),
    );
  };
  app.get('/batches/new/:upload', accessOf(SUBMITTING), async (request, reply) => {
    const held = heldIn(request);
    const view = viewOf(request, reply, context);
    const page: PlanPage = { view, path: planPath(held), options: parsed(options, request.query) };
    const taking = await takeIn(held, request.caller, page.options);
    if (taking instanceof IntakeRefusal) {
      const { status } = answerOf(taking);
      return show(reply, view, { title: 'This file was not accepted', body: refusedPage(page, taking), status });
    }
    if (taking.outcome !== 'planned') return reply.redirect(batchPath(taking.batchId), 303);
    return show(reply, view, { title: taking.document.plan.file, body: planPage(page, taking.document) });
  });
  app.post('/batches/new/:upload', accessOf(SUBMITTING), async (request, reply) => {
    const held = heldIn(request);
    const body = parsed(agreeBody, request.body, 'form');
    if (policy === undefined && body.by === undefined) {
      throw new Problem('usage', 'name-missing', 'The name of the maker is missing.', { hint: 'Give your name.' });
    }
    const taking = await takeIn(held, request.caller, body);
    if (taking instanceof IntakeRefusal) throw taking;
    if (taking.outcome === 'planned') throw new Error('a plan that was agreed to was not carried out');
    await uploads.drop(held.id);
    return reply.redirect(batchPath(taking.batchId), 303);
  });
}

/** `/batches/new`: receives a file. */
export async function submitRoutes(
  app: FastifyInstance,
  context: PagesContext,
  uploads: PendingUploads,
): Promise<void> {
  const { gateway } = context;
  await app.register(multipart, { limits: { fileSize: FILE_BYTES_MAX, files: 1, fields: 5, fieldSize: 1_000 } });
  app.get('/batches/new', accessOf(SUBMITTING), (request, reply) => {
    const view = viewOf(request, reply, context);
    return show(reply, view, { title: 'Submit a file', body: choosePage(view) });
  });
  const guarded = {
    ...accessOf(SUBMITTING),
    preHandler: [readFields, app.csrfProtection],
    onError: async ({ part }: FastifyRequest) => void part?.file.resume(),
  };
  app.post('/batches/new', guarded, async ({ part, caller }, reply) => {
    if (part === undefined || part.filename === '') {
      throw new Problem('usage', 'file-missing', 'No file was chosen.', { hint: 'Choose one.' });
    }
    assertFileName(part.filename);
    const upload = await receive(part.file, uploadsOf(gateway.config), { name: part.filename, extension: '' });
    if (part.file.truncated) {
      await upload[Symbol.asyncDispose]();
      throw tooLarge();
    }
    return reply.redirect(planPath(await uploads.hold(upload, caller.name, gateway.now())), 303);
  });
}

const planPath = ({ id }: PendingUpload): string => `/batches/new/${id}`;

/** The fields precede the file, so its CSRF token is checked before any of it is written. */
async function readFields(request: FastifyRequest): Promise<void> {
  request.part = await request.file();
  const token = request.part?.fields._csrf;
  request.body = { _csrf: token !== undefined && 'value' in token ? token.value : undefined };
}

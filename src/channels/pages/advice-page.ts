import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ADVICE_LANGUAGES } from '../../domain/instruction.ts';
import { Problem } from '../../domain/problem.ts';
import type { PayeeMails } from '../../platform/config/events.ts';
import { addresseeOf, adviceOf, paidPayment } from '../../reports/advice/advice.ts';
import { html } from '../../reports/html.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { parsed } from '../http/documents.ts';
import { maySeePayee } from '../http/may-see.ts';
import { placeOf, visiblePayout } from '../http/operation.ts';
import { ANY_ROLE, accessOf } from '../http/route-access.ts';
import { show, viewOf } from './layout.ts';
import { factList, payoutPath } from './pieces.ts';
import type { PagesGateway } from './sessions.ts';

const query = z.object({ language: z.enum(ADVICE_LANGUAGES).optional() });

/** The settings of mails to payees, `PAYOUTS_ADVICE`; undefined: there are none. */
const mailsIn = ({ config }: PagesGateway): PayeeMails | undefined =>
  config.events.subscriptions.map(({ to }) => to).find((to) => to.kind === 'advice');

/** Path of the advice to the payee of a row; undefined where there is none. */
export const advicePath = (gateway: PagesGateway, { reference, kind, state }: PayoutRecord): string | undefined =>
  kind === 'payout' && state === 'completed' && mailsIn(gateway) !== undefined
    ? `${payoutPath(reference)}/advice`
    : undefined;

/** The advice to the payee of a completed payout, to print or to store as PDF, whether or not it is mailed as well. */
export function adviceRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  app.get('/payouts/:reference/advice', accessOf(ANY_ROLE), async (request, reply) => {
    const row = await visiblePayout(
      placeOf(gateway, request.caller),
      (request.params as { reference: string }).reference,
    );
    const settings = mailsIn(gateway);
    if (settings === undefined || advicePath(gateway, row) === undefined || !maySeePayee(request.caller, row)) {
      throw new Problem('not-found', 'no-advice', 'There is no remittance advice of this payout for you.', {
        hint: 'There is one of completed payouts, if PAYOUTS_ADVICE is set, for people who see their payees.',
      });
    }
    const { language: asked } = parsed(query, request.query, 'query');
    const addressee = await addresseeOf(gateway.store, settings, {
      ...row,
      instruction: { ...row.instruction, advice_to: row.instruction.advice_to ?? '' },
    });
    const language = asked ?? addressee?.language ?? settings.language;
    const { timeZone } = gateway.settings;
    const { subject, opening, payments, total, closing } = adviceOf([paidPayment(row)], language, {
      ...settings,
      timeZone,
    });
    const path = `${payoutPath(row.reference)}/advice`;
    // The usual closing says that it is a mail, which the page is not.
    const hasOwnClosing = settings.templates[language]?.closing !== undefined;
    const body = html`<p class="screen quiet"><a href="${payoutPath(row.reference)}">Back to the payout</a>. Print it, or store it as PDF with the print dialog. In ${ADVICE_LANGUAGES.map(
      (it) => html` <a href="${path}?language=${it}"${it === language && html` aria-current="true"`}>${it}</a>`,
    )}</p>
<article lang="${language}"><h1>${subject}</h1>
<p>${opening}</p>
${payments.map((facts) => factList(facts))}
${total !== undefined && factList([total])}
${hasOwnClosing && html`<p>${closing}</p>`}</article>`;
    return show(reply, viewOf(request, reply, gateway), { title: subject, body });
  });
}

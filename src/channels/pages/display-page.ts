import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ROLES } from '../../domain/authority.ts';
import { html } from '../../reports/html.ts';
import { parsed } from '../http/documents.ts';
import { accessOf, type CallerAccess } from '../http/route-access.ts';
import { csrfField, show, viewOf } from './layout.ts';
import { reader, timeText, UTC, ZONE_COOKIE, ZONES } from './reader.ts';
import { cookieOptions, type PagesGateway } from './sessions.ts';

const ANYBODY: CallerAccess = { roles: ROLES, scope: 'none' };
const YEAR_S = 365 * 24 * 3_600;
const displayBody = z.object({ zone: z.string().refine((zone) => ZONES.includes(zone), 'is no time zone') });

/** `/display`: the time zone in which pages show moments and begin days; kept in a cookie of this browser. */
export function displayRoutes(app: FastifyInstance, gateway: PagesGateway): void {
  const { policy } = gateway.settings;
  app.get('/display', accessOf(ANYBODY), (request, reply) => {
    const view = viewOf(request, reply, gateway);
    const { zone } = reader();
    const body = html`<section class="narrow"><h1>Time zone</h1>
<p>These pages show moments in it, and days begin and end in it. Files and the command line stay in UTC. It is now ${timeText(gateway.now())}.</p>
<form class="card" method="post" action="/display">${csrfField(view)}
<p><label>Time zone <select name="zone" data-own-zone="${zone === UTC && 'yes'}">${ZONES.map((it) => html`<option value="${it}"${it === zone && html` selected`}>${it}</option>`)}</select></label></p>
<div class="actions"><button class="main">Use it here</button></div></form></section>`;
    return show(reply, view, { title: 'Time zone', body });
  });
  app.post('/display', accessOf(ANYBODY), (request, reply) => {
    const { zone } = parsed(displayBody, request.body, 'form');
    reply.setCookie(ZONE_COOKIE, zone, { ...cookieOptions(policy), maxAge: YEAR_S });
    return reply.redirect('/display', 303);
  });
}

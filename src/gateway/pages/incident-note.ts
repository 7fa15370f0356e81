import { INCIDENTS } from '../../domain/reconciliation.ts';
import { type Html, html } from '../../reports/html.ts';
import type { IncidentRecord } from '../../store/store.ts';
import { mayVisit, type View } from './layout.ts';

export const incidentNote = (
  { kind, id, acknowledged }: IncidentRecord,
  { caller }: View,
): Html => html`<p class="problem">${INCIDENTS[kind].says}
(${caller !== undefined && mayVisit('/incidents', caller) ? html`<a href="/incidents">${id}</a>` : id}${acknowledged !== null && ', acknowledged'})</p>`;

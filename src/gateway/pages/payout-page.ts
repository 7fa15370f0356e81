import { needsAttention } from '../../domain/payout-state.ts';
import type { Terms } from '../../domain/policy.ts';
import { INCIDENTS } from '../../domain/reconciliation.ts';
import { roleAskedOf } from '../../services/decisions/is-for.ts';
import type { IncidentRecord } from '../../store/store.ts';
import { type Html, html } from './html.ts';
import type { View } from './layout.ts';
import { DECIDERS } from './may-do.ts';
import { flagsOf, instructionFacts, originFacts, paymentFacts } from './payout-facts.ts';
import type { PayoutShown } from './payout-view.ts';
import { badge, money, payoutPath } from './pieces.ts';
import { isUndecidable, resolveForm } from './resolve-form.ts';
import { signedForm } from './signed-form.ts';

export interface PayoutPage {
  view: View;
  shown: PayoutShown;
  caps: Pick<Terms, 'feeCap' | 'maxSlippage'>;
  story: Html;
  incidents: readonly IncidentRecord[];
  workflowUrl: string;
  mayDecide: boolean;
  mayResolve: boolean;
  /** What has just been done. */
  told: string | undefined;
}

export function payoutPage(page: PayoutPage): Html {
  const { shown, caps, story, incidents, workflowUrl, told } = page;
  const { row } = shown;
  const { documentId, state, amount, currency, reason } = row;
  const flags = flagsOf(shown);
  return html`<h1>${row.kind !== 'payout' && `${row.kind} `}${documentId} ${badge(state)}</h1>
${told !== undefined && html`<p class="note" role="status">${told}</p>`}
${incidents.map(({ kind, id }) => html`<p class="problem">${INCIDENTS[kind]} (<a href="/incidents">${id}</a>)</p>`)}
<section class="card" aria-label="What is paid">
<p class="amount">${money(amount, currency)}</p>
${flags.length > 0 && html`<ul class="flags">${flags.map((flag) => html`<li class="badge attention">${flag}</li>`)}</ul>`}
${paymentFacts(shown, caps)}
${reason !== null && html`<p class="${needsAttention(state, reason) ? 'attend' : 'note'}">${reason.message}</p>`}
</section>
${decision(page)}
${isUndecidable(row) && page.mayResolve && resolveForm(page.view, row)}
<section><h2>Story</h2>
${story}</section>
<section><h2>Where it comes from</h2>
${originFacts(shown, workflowUrl)}</section>
<details><summary>Every field of the row</summary>
${instructionFacts(row)}</details>`;
}

/** What becomes of the money of each kind. */
const DONE = { payout: 'paid', transfer: 'transferred', exchange: 'exchanged' } as const;

function questionText({ row, asked }: PayoutShown): string {
  switch (asked?.question) {
    case 'hold':
    case 'screening':
      return `It is held. Is it to be ${DONE[row.kind]} all the same?`;
    case 'bank':
      return 'The bank asks. Is its order to be approved?';
    default:
      return `Is this to be ${DONE[row.kind]}?`;
  }
}

function decision({ view, shown, mayDecide }: PayoutPage): Html | false {
  const { row, asked, approvedBy, isWhatIsSigned } = shown;
  if (asked === undefined) return false;
  const missing = asked.needed - approvedBy.length;
  const standing = html`<p>${missing} of ${asked.needed} ${asked.needed === 1 ? 'approval is' : 'approvals are'} missing.
${approvedBy.length > 0 && `Approved by ${approvedBy.join(', ')}.`}</p>`;
  if (!isWhatIsSigned) {
    return html`<section><h2>${questionText(shown)}</h2>${standing}
<p class="problem">What would be signed was made of another reading of the bank, or of other settings, than what is shown here. Look again in a moment; nothing can be decided on this page until they agree.</p></section>`;
  }
  const { name } = view.caller ?? {};
  const hasDecided = name !== undefined && approvedBy.includes(name);
  return html`<section><h2>${questionText(shown)}</h2>${standing}
${hasDecided ? html`<p class="note">You have approved it.</p>` : mayDecide ? form(view, row.reference, asked.digest) : html`<p class="quiet">You cannot decide this: it takes ${DECIDERS[roleAskedOf(row)]} whose scope holds it, and not whoever handed it over.</p>`}
</section>`;
}

const form = (view: View, reference: string, digest: string): Html => html`<div class="card">${signedForm(
  view,
  `${payoutPath(reference)}/decide`,
  html`<input type="hidden" name="digest" value="${digest}">
<p><label>Remark <input name="remark" maxlength="200" aria-describedby="remark-help"></label>
<span class="quiet" id="remark-help">Needed to reject.</span></p>`,
  html`<button class="main" name="decision" value="approve">Approve</button>
<button class="danger" name="decision" value="reject">Reject</button>`,
)}
<p class="quiet">What is decided: <code>${digest}</code></p></div>`;

import { html } from '../../reports/html.ts';
import { payeeText } from '../../reports/masked.ts';
import type { PayoutRecord } from '../../store/store.ts';
import { badge, type Column, money, payoutPath } from './pieces.ts';

export const ROW = {
  document: {
    head: 'Document',
    cell: ({ reference, documentId }) => html`<a href="${payoutPath(reference)}">${documentId}</a>`,
  },
  amount: { head: 'Amount', isFigure: true, cell: ({ instruction: { amount, currency } }) => money(amount, currency) },
  from: { head: 'From', cell: ({ accountId }) => accountId },
  // Each part by itself: a name that is written from right to left would turn the account number around. Together one value.
  to: {
    head: 'To',
    cell: (row) => {
      const parts = payeeText(row).split(' ');
      return html`<span>${parts.map((part) => html`<bdi>${part}</bdi> `)}</span>`;
    },
  },
  state: { head: 'State', cell: ({ state }) => badge(state) },
  why: { head: 'Why', cell: ({ reason }) => reason?.message },
} satisfies Record<string, Column<PayoutRecord>>;

import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { Reason } from '../../domain/payout-state.ts';
import { inMarkdown } from '../../domain/text.ts';
import type { Evidence } from '../messages.ts';
import { type SearchAttributes, searchAttributes } from '../search-attributes.ts';
import type { Inbox } from './inbox.ts';

/** Limits what the query `state` returns: the first entry and the newest ones stay. */
const EVIDENCE_MAX = 50;

/**
 * What an execution shows of itself while it runs, in the UI and in the query `state`. Steps read and change it; only the
 * workflow decides the route.
 */
export abstract class ExecutionView<State extends string> {
  /** What people call it: "payout". */
  abstract readonly what: string;
  abstract readonly inbox: Inbox<{ action: string }>;
  abstract readonly hasEnded: boolean;
  state: State;
  reason: Reason | null = null;
  readonly evidence: Evidence[] = [];
  /** The state shown in lists; undefined: none so far. */
  protected shown: string | undefined;

  protected constructor(state: State) {
    this.state = state;
  }

  note(what: string): void {
    this.evidence.push({ at: new Date().toISOString(), what });
    if (this.evidence.length > EVIDENCE_MAX) this.evidence.splice(1, 1);
  }

  /** Shows a state in the UI without storing it: an activity stores or has stored it. */
  show(state: State, reason: Reason | null = null): void {
    if (this.state === 'needs-operator' && state !== 'needs-operator') {
      // The task that answered a close may be lost with its worker: a later one answers again, when the store has taken the end.
      const isClosed = reason?.code === 'closed-by-operator';
      const isDone = ({ action }: { action: string }): boolean => isClosed && action === 'close-as-not-paid';
      this.inbox.answerAll(isDone, `the ${this.what} is ${state} now`);
    }
    if (state !== this.state) this.note(reason === null ? state : `${state}: ${reason.message}`);
    this.state = state;
    this.reason = reason;
    const { visible, needsAttention } = this.listed();
    if (visible !== this.shown) {
      const others = this.otherAttributes();
      this.shown = visible;
      upsertSearchAttributes(
        searchAttributes({ PayoutState: visible, PayoutNeedsAttention: needsAttention, ...others }),
      );
    }
    this.showDetails();
  }

  protected showDetails(): void {
    const shown = this.details()
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `| ${inMarkdown(name)} | ${inMarkdown(value)} |`);
    setCurrentDetails(shown.toSpliced(1, 0, '|---|---|').join('\n'));
  }

  /** How lists show it now. */
  protected abstract listed(): { visible: string; needsAttention: boolean };
  /** Further search attributes to set with the next state shown in lists. */
  protected abstract otherAttributes(): SearchAttributes;
  /** Names and values, the most distinguishing first; empty ones are omitted. */
  protected abstract details(): [string, string][];
}

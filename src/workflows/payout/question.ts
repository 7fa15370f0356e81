import { log } from '@temporalio/workflow';
import { type AwaitedApproval, consider, type Decision, type Verdict } from '../../domain/approval.ts';

/** What a signal says, of which nobody knows whether it is true. */
export type Said = Pick<Decision, 'decision' | 'by'>;

/** What a payout asks people, one thing at a time, and what they have said. */
export class Question {
  awaited: AwaitedApproval | undefined;
  verdict: Extract<Verdict, { verdict: 'approved' | 'rejected' }> | undefined;
  /** Somebody says that there is something new to read about it. */
  isHinted = false;
  /** Updates under way that have read, or will read, what is stored, and then say what comes of it. */
  readers = 0;
  /** By signals, since it was last read: refused unless what they say is signed. */
  readonly said: Said[] = [];
  private about: string | undefined;
  /** Digest of the last one that was asked, open or not. */
  private lastAsked: string | undefined;
  /** Asked before the claim was taken, and not asked again yet: whoever has seen it may still reject. */
  private unanswered: AwaitedApproval | undefined;

  /** `unanswered`: what the run before has left open. */
  constructor(unanswered?: AwaitedApproval) {
    this.unanswered = unanswered;
    this.lastAsked = unanswered?.digest;
  }

  /** What somebody may have in mind who decides now. */
  get open(): AwaitedApproval | undefined {
    return this.awaited ?? this.unanswered;
  }

  /**
   * Opens a question; earlier votes serve no other one. The same question asked again goes on as it was, so that a decision
   * taken while the bank was looked at in between is not lost.
   */
  ask(awaited: AwaitedApproval): void {
    const about = [awaited.kind, awaited.digest].join(' ');
    if (this.about === about && (this.awaited ?? this.verdict) !== undefined) return;
    this.about = about;
    this.unanswered = undefined;
    this.lastAsked = awaited.digest;
    this.awaited = awaited;
    this.verdict = undefined;
  }

  /** Somebody has said something that is not read yet. */
  get isBeingRead(): boolean {
    return this.isHinted || this.readers > 0;
  }

  /** Somebody may have answered it who does not know that this is asked next, or nothing more. */
  isLeftFor(digest: string | undefined): boolean {
    return digest === undefined ? this.open !== undefined : ![undefined, digest].includes(this.lastAsked);
  }

  /** The claim is taken anew: it is asked again, if at all. What waits for the bank's audit is rejected there. */
  leave(): void {
    if (this.awaited !== undefined && this.awaited.kind !== 'bank') this.unanswered = this.awaited;
    this.close();
  }

  /** The gates are open: what is sent from now on nobody rejects by an answer to what was asked before. */
  leaveBehind(): void {
    this.unanswered = undefined;
    this.close();
  }

  close(): void {
    this.about = undefined;
    this.awaited = undefined;
    this.verdict = undefined;
  }

  decide(decision: Decision): Verdict {
    return this.take(consider(this.subjectOf(decision), decision, Date.now()), decision.decision);
  }

  /** What a decision is about. Nobody approves what is about to be read anew. */
  subjectOf({ decision }: Pick<Decision, 'decision'>): AwaitedApproval | undefined {
    return decision === 'reject' ? this.open : this.awaited;
  }

  /** What a decision, or all that are stored, make of the question. */
  take(verdict: Verdict, decision: string): Verdict {
    switch (verdict.verdict) {
      case 'counted':
        this.awaited = { ...verdict.awaited, expiresAt: this.awaited?.expiresAt };
        break;
      case 'approved':
      case 'rejected':
        this.verdict = verdict;
        this.awaited = undefined;
        break;
      case 'refused':
        log.warn('decision refused', { decision, why: verdict.why });
    }
    return verdict;
  }
}

import { log } from '@temporalio/workflow';
import { type AwaitedApproval, consider, type Decision, type Verdict } from '../../domain/authority.ts';

/** An unverified statement made by a signal. */
export type UnsignedStatement = Pick<Decision, 'decision' | 'by'>;

/** What a payout asks people, one question at a time, and their answers. */
export class Question {
  awaited: AwaitedApproval | undefined;
  verdict: Extract<Verdict, { verdict: 'approved' | 'rejected' }> | undefined;
  /** Somebody says that the store has something new about the question. */
  isHinted = false;
  /** Who rejected the payout: as final as a cancel, also for a run that takes the claim again. */
  rejectedBy: string | undefined;
  /** The bank has taken the last rejection of its order. */
  isPassedOn = false;
  /** Number of readings of the stored decisions that are under way: by updates, which then answer, and by the main line. */
  readers = 0;
  /** Statements made by signals since the decisions were last read; refused unless a signed decision says the same. */
  readonly unsignedStatements: UnsignedStatement[] = [];
  private about: string | undefined;
  /** Digest of the last question asked, open or not. */
  private lastAsked: string | undefined;
  /** The question from before the claim was taken, not asked again yet: whoever has seen it may still reject. */
  private unanswered: AwaitedApproval | undefined;

  /** `unanswered`: the question that the previous run left open. */
  constructor(unanswered?: AwaitedApproval) {
    this.unanswered = unanswered;
    this.lastAsked = unanswered?.digest;
  }

  /** The question that somebody deciding now may have in mind. */
  get open(): AwaitedApproval | undefined {
    return this.awaited ?? this.unanswered;
  }

  /**
   * Opens a question; votes on one do not count for another. Asking the same question again leaves it as it is, so that a
   * decision taken while the bank was read in between is not lost.
   */
  ask(awaited: AwaitedApproval): void {
    const about = [awaited.kind, awaited.digest].join(' ');
    if (this.about === about && (this.awaited ?? this.verdict) !== undefined) return;
    this.about = about;
    this.unanswered = undefined;
    this.lastAsked = awaited.digest;
    this.awaited = awaited;
    this.verdict = undefined;
    this.isPassedOn = false;
  }

  /** Whether some statement has not been read yet. */
  get isBeingRead(): boolean {
    return this.isHinted || this.readers > 0;
  }

  /** Whether the last question may just have been answered although `digest` is asked next (undefined: nothing is). */
  isLeftFor(digest: string | undefined): boolean {
    return digest === undefined ? this.open !== undefined : ![undefined, digest].includes(this.lastAsked);
  }

  /**
   * The claim is taken again: the question is asked again if it still arises. Not kept if it is about the bank's audit: that
   * order is rejected at the bank.
   */
  keepForNextRun(): void {
    if (this.awaited !== undefined && this.awaited.kind !== 'bank') this.unanswered = this.awaited;
    this.close();
  }

  /** The gates are open: an answer to an earlier question can no longer reject what is sent from now on. */
  discard(): void {
    this.unanswered = undefined;
    this.close();
  }

  close(): void {
    this.about = undefined;
    this.awaited = undefined;
    this.verdict = undefined;
  }

  decide(decision: Decision): Verdict {
    const subject = this.subjectOf(decision);
    return this.take(consider(subject, decision, Date.now()), subject, decision.decision);
  }

  /** The question that a decision applies to. Nobody can approve what is about to be read again. */
  subjectOf({ decision }: Pick<Decision, 'decision'>): AwaitedApproval | undefined {
    return decision === 'reject' ? this.open : this.awaited;
  }

  /** Applies the verdict of one decision, or of all stored ones, on a question. */
  take(verdict: Verdict, subject: AwaitedApproval | undefined, decision: string): Verdict {
    switch (verdict.verdict) {
      case 'counted':
        this.awaited = { ...verdict.awaited, expiresAt: this.awaited?.expiresAt };
        break;
      case 'approved':
      case 'rejected':
        this.verdict = verdict;
        this.awaited = undefined;
        // Not for the bank's audit: that order is rejected at the bank.
        if (verdict.verdict === 'rejected' && subject?.kind !== 'bank') this.rejectedBy = verdict.by;
        break;
      case 'refused':
        log.warn('decision refused', { decision, why: verdict.why });
    }
    return verdict;
  }
}

import { agoOf, counted, labelled, minuteOf, spanOf, totalsText } from '../domain/display.ts';
import { visible } from '../domain/finding.ts';
import { groupedAmount } from '../domain/money.ts';
import type { NextStep } from './next-step.ts';
import { STATE_WORDS } from './state-texts.ts';
import type { StepGroup } from './step-groups.ts';

const LABEL = 'otherwise  '.length;
/** The most rows that are named; the others are counted. */
const NAMED_MAX = 5;

/**
 * Lines on who acts on a row, how, until when, and what happens without that. Commands are never broken across lines, so that
 * they can be pasted.
 */
export function stepLines(
  { why, hasEnded, since, until, arrives, who, todo, commands, byItself }: Omit<NextStep, 'kind'>,
  { now, width, indent = 0 }: StepLayout,
): string[] {
  const line = (label: string, text: string): string[] => labelled(label, text, { indent, labelWidth: LABEL, width });
  const margin = ' '.repeat(indent + LABEL);
  return [
    ...line('why', visible(why)),
    ...line(hasEnded ? 'ended' : 'since', `${minuteOf(since)}, ${agoOf(now - since)}`),
    ...(hasEnded ? [] : line('until', untilText(until, now))),
    ...(arrives === undefined ? [] : line('arrives', arrives)),
    ...line('who', visible(who)),
    ...line('to do', todo === '' ? 'Nothing.' : todo),
    ...commands.map(
      (command, index) => (index === 0 ? `${' '.repeat(indent)}${'next'.padEnd(LABEL)}` : margin) + command,
    ),
    ...line('otherwise', byItself),
  ];
}

function untilText(until: number | null, now: number): string {
  if (until === null) return 'no deadline';
  return `${minuteOf(until)}, ${until > now ? `in ${spanOf(until - now)}` : 'already passed'}`;
}

interface StepLayout {
  /** Epoch ms. */
  now: number;
  width: number;
  indent?: number;
}

/** Kinds of rows that wait or ended unpaid, each with count, amounts and next steps. */
export function stepGroupsText(groups: readonly StepGroup[], layout: StepLayout): string {
  const { width, indent = 0 } = layout;
  return groups
    .map((group) => {
      const { count, totals, state, kind, rows } = group;
      const head = `${counted(count, 'payout')} ${STATE_WORDS[state]} [${kind}]: ${totalsText(totals)}`;
      const named = rows.slice(0, NAMED_MAX).map(({ documentId }) => visible(documentId));
      const more = count > named.length ? [`and ${groupedAmount(count - named.length)} more`] : [];
      return [
        ...labelled('', head, { indent, labelWidth: 0, width }),
        ...stepLines(group, { ...layout, indent: indent + 2 }),
        ...labelled('rows', [...named, ...more].join(', '), { indent: indent + 2, labelWidth: LABEL, width }),
      ].join('\n');
    })
    .join('\n\n');
}

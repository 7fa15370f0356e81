import { fileURLToPath } from 'node:url';
import { Problem } from '../domain/problem.ts';
import { IntakeRefusal } from '../files/intake/intake-refusal.ts';
import type { ExitCode } from './exit.ts';
import { report } from './inspect.ts';
import { run } from './run.ts';
import type { Session } from './session.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/payouts.csv', import.meta.url));

export async function demo(session: Session): Promise<ExitCode> {
  const exit = await payExample(session);
  session.output.say(
    'To see them in the browser: `npx payouts dev` in a terminal, then `npx payouts open` in another.',
  );
  return exit;
}

/** Pays the example batch at the sandbox; a second time only shows its report. */
async function payExample(session: Session): Promise<ExitCode> {
  if (session.config.bank.kind !== 'sandbox') {
    throw new Problem('usage', 'demo-needs-the-sandbox', 'The example payouts are for the sandbox bank only.', {
      hint: 'Unset PAYOUTS_API_URL, or pay a file of your own with `payouts run FILE`.',
    });
  }
  session.output.say('Pays examples/payouts.csv at the sandbox bank, on a real Temporal server.');
  try {
    return await run(session, EXAMPLE, {
      yes: true,
      dryRun: false,
      detach: false,
      invalid: 'stop',
      // Running the demo again on another day is intended.
      allowLookAlikes: true,
      timeout: undefined,
      by: 'demo',
    });
  } catch (error) {
    if (!(error instanceof IntakeRefusal) || error.kind !== 'already-taken' || error.batchId === undefined) throw error;
    session.output.say('These payouts were already made; nothing is paid twice. Their report:');
    return report(session, error.batchId, { mask: false });
  }
}

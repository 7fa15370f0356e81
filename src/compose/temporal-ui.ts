import type { Config } from '../config.ts';
import { lastUiUrl } from '../embedded/stack-file.ts';
import type { TemporalUi } from '../temporal/ui-link.ts';

/** Where a Temporal server's own UI usually is, when this home never had one. */
const USUAL_UI = 'http://127.0.0.1:8233';

/** Where links point: the UI given, the stack's, or the one that an embedded Temporal of this home had last. */
export function temporalUi(
  config: Config,
  { namespace, uiUrl }: { namespace: string; uiUrl?: string | null },
): TemporalUi {
  const last = config.temporal.kind === 'embedded' ? lastUiUrl(config.home) : undefined;
  const url = config.uiUrl ?? uiUrl ?? last ?? USUAL_UI;
  return { url: url.replace(/\/+$/, ''), namespace };
}

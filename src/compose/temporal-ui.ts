import type { Config } from '../config.ts';
import { lastUiUrl } from '../embedded/stack-file.ts';
import type { TemporalUi } from '../temporal/ui-link.ts';

/** Where a Temporal server's own UI usually is, when this home never had one. */
const USUAL_UI = 'http://127.0.0.1:8233';

/** Where links point: the UI given, the stack's, or the one this home used last. */
export function temporalUi(
  config: Config,
  { namespace, uiUrl }: { namespace: string; uiUrl?: string | null },
): TemporalUi {
  const url = config.uiUrl ?? uiUrl ?? lastUiUrl(config.home) ?? USUAL_UI;
  return { url: url.replace(/\/+$/, ''), namespace };
}

import { intakePartsOf, type MessageFiles } from '../compose/intake-parts.ts';
import type { IntakeParts } from '../intake/intake.ts';
import type { Session } from './session.ts';

export type { MessageFiles } from '../compose/intake-parts.ts';

export async function intakeParts(session: Session, files: MessageFiles): Promise<IntakeParts> {
  return intakePartsOf(session.config, await session.store(), files);
}

import { retry } from '../../../../src/cli/run.ts';
import { Problem } from '../../../../src/domain/problem.ts';
import { takeUnpaid } from '../../../../src/files/intake/take-file.ts';
import { type Attack, type ForgedChannel, refusedOr } from '../attack.ts';
import type { Name } from '../cast.ts';
import { brokenKey, keyFile } from '../keys.ts';
import type { Scene } from '../scene.ts';
import { commanded, sessionOf } from '../session.ts';

const command =
  (key: (scene: Scene) => string | undefined, { by, id = 'ended' }: { by?: string; id?: string } = {}): Attack =>
  (scene) => {
    const options = { rows: undefined, yes: true, detach: true, timeout: undefined, by, key: key(scene) };
    return commanded(() => retry(sessionOf(scene), id, options));
  };

const with_ = (name: Name) => (scene: Scene) => keyFile(scene, name);

/** Past the command, with any statement of the channel about its user. */
const atTheChannel =
  (maker: string | undefined, by?: string): Attack =>
  async ({ opened }) => {
    const options = { invalid: 'stop', by, maker, allowLookAlikes: true } as const;
    return refusedOr(
      () => takeUnpaid(opened, { batchId: 'ended', rows: undefined }, options),
      (error) => error instanceof Problem,
    );
  };

/** What was rejected, paid again as the next generation. */
export const RETRIES: ForgedChannel = {
  name: 'retry',
  kinds: {
    'without a key': command(() => undefined),
    'without a key, in her name': command(() => undefined, { by: 'alice' }),
    'with a stranger’s key': command(with_('mallory')),
    'with a stranger’s key, in her name': command(with_('mallory'), { by: 'alice' }),
    'with an approver’s key': command(with_('bob')),
    'with an operator’s key': command(with_('erin')),
    'with an approver’s key, in her name': command(with_('bob'), { by: 'alice' }),
    'with a file that is no key': command((scene) => brokenKey(scene, 'BBBB')),
    'by a maker out of scope': command(with_('anna')),
    'of what is under way': command(with_('alice'), { id: 'open' }),
    'of what nobody knows the outcome of': command(with_('alice'), { id: 'lost' }),
    'in a channel without a user': atTheChannel(undefined, 'alice'),
    'in a channel of an approver': atTheChannel('bob', 'alice'),
    'in a channel of a look-alike': atTheChannel('аlice'),
    'in a channel of somebody out of scope': atTheChannel('anna'),
  },
};

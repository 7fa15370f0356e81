import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DropFolder } from '../../../../src/channels/folder/drop-folder.ts';
import { Problem } from '../../../../src/domain/problem.ts';
import { csvOf } from '../../../e2e/payout-files.ts';
import type { Attack, ForgedChannel, Reported } from '../attack.ts';
import type { Scene } from '../scene.ts';

interface Dropped {
  /** Whom the configuration names. */
  maker?: string;
  /** Whom the scan names. */
  by?: string;
  text?: (id: string) => string;
}

const payable = (id: string): string => csvOf([{ id }]);

const dropped =
  ({ maker, by, text = payable }: Dropped): Attack =>
  async ({ opened, dir }, random): Promise<Reported> => {
    const home = mkdtempSync(join(dir, 'drop-'));
    mkdirSync(join(home, 'in'));
    writeFileSync(join(home, 'in', 'a.csv'), text(`folder-${random.between(1, 1e9)}`));
    writeFileSync(join(home, 'in', 'a.csv.done'), '');
    const app = { ...opened, config: { ...opened.config, folderMaker: maker } };
    try {
      const folder = await DropFolder.open(app, { dir: home, invalid: 'stop', by });
      const { refused, open } = await folder.scan();
      return refused === 1 && open === 0 ? { refused: 'moved to error' } : 'taken';
    } catch (error) {
      if (error instanceof Problem) return { refused: error.code };
      throw error;
    } finally {
      rmSync(home, { recursive: true });
    }
  };

/** Rows that were handed over before, with other terms. */
const misused = ({ targets }: Pick<Scene, 'targets'>): string =>
  csvOf(targets.slice(0, 1).map(({ documentId }) => ({ id: documentId, amount: '9999.00' })));

/** Files in the drop folder: anyone who can ask for a scan can name anybody. */
export const FOLDER: ForgedChannel = {
  name: 'drop folder',
  kinds: {
    'where the configuration names nobody': dropped({}),
    'where the scan names a maker': dropped({ by: 'alice' }),
    'where the scan names an approver': dropped({ by: 'bob' }),
    'where the configuration names an approver': dropped({ maker: 'bob', by: 'alice' }),
    'where the configuration names a stranger': dropped({ maker: 'mallory', by: 'alice' }),
    'where the configuration names a look-alike': dropped({ maker: 'аlice', by: 'alice' }),
    'where the configuration names somebody out of scope': dropped({ maker: 'anna', by: 'alice' }),
    'with a column that names its maker': dropped({ maker: 'alice', text: (id) => csvOf([{ id, by: 'anna' }]) }),
    'with a column that approves it': dropped({ maker: 'alice', text: (id) => csvOf([{ id, approved_by: 'bob' }]) }),
    'with other terms for a document that is known': (scene, random) =>
      dropped({ maker: 'alice', text: () => misused(scene) })(scene, random),
    'that is a retry of what is under way': (scene, random) => {
      const { documentId, reference } = scene.any(random);
      const row = { id: documentId, retry_of: reference };
      return dropped({ maker: 'alice', text: () => csvOf([row]) })(scene, random);
    },
  },
};

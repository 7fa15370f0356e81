import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const OWN = ['bin', 'scripts', 'src', 'package.json'];

/** How a build differs from the sources as they are. */
interface Change {
  edits?: readonly { file: string; find: string; replace: string }[];
  files?: Readonly<Record<string, string>>;
}

/**
 * A payout of the build before waits for a moment before it sends: a history of the one does not replay under the other, so that
 * only pinning keeps open payouts whole.
 */
export const BEFORE: Change = {
  edits: [
    {
      file: 'src/workflows/payout/order.ts',
      find: '      view.show(shows.submitting);\n',
      replace: "      await sleep('20 ms');\n      view.show(shows.submitting);\n",
    },
  ],
};

/** The build after has expanded the store, with what the one before neither reads nor writes. */
export const AFTER: Change = {
  files: {
    'src/store/migrations/9001-add-tomorrow.ts': `import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['payouts', 'batches', 'send_attempts', 'open_orders', 'audit_log', 'outbox']) {
    await db.schema.alterTable(table).addColumn('tomorrow', 'text').execute();
    await db.schema.alterTable(table).addColumn('tomorrow_count', 'integer', (it) => it.notNull().defaultTo(0)).execute();
  }
  await db.schema.createTable('of_tomorrow').addColumn('reference', 'text', (it) => it.primaryKey()).execute();
}
`,
  },
};

/** The sources in a folder of their own, changed; returns the path of its command. */
export function makeBuild(folder: string, { edits = [], files = {} }: Change): string {
  mkdirSync(folder);
  for (const name of OWN) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const { file, find, replace } of edits) {
    const text = readFileSync(join(folder, file), 'utf8');
    if (text.split(find).length !== 2) throw new Error(`${file} has changed: the other build cannot be made of it`);
    writeFileSync(
      join(folder, file),
      text.replace(find, () => replace),
    );
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return join(folder, 'bin', 'payouts.mjs');
}

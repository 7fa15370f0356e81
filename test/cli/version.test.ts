import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { versionText } from '../../src/cli/program.ts';

it('names the product, the Temporal SDK that is installed and Node', () => {
  const { version, dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(versionText()).toBe(
    `payouts ${version}, Temporal SDK ${dependencies['@temporalio/client']}, Node ${process.versions.node}`,
  );
});

import { expect, it } from 'vitest';
import { workflowUrl } from '../../src/compose/links.ts';

it('encodes the slashes of a workflow id', () => {
  expect(workflowUrl({ url: 'http://127.0.0.1:8233', namespace: 'default' }, 'payout/a-1')).toBe(
    'http://127.0.0.1:8233/namespaces/default/workflows/payout%2Fa-1',
  );
});

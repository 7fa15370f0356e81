import { expect, it } from 'vitest';
import { unguarded } from '../../src/domain/unguarded.ts';
import { tokenSha256 } from '../../src/gateway/callers.ts';
import { parsePolicy } from '../../src/policy/policy-file.ts';
import { newKey } from '../../src/signing/ed25519.ts';
import { read } from '../architecture/sources.ts';
import { softwarePasskey } from '../support/software-passkey.ts';

it('the policy shown in the documentation can be used, and leaves nothing to one person', () => {
  const [, shown = ''] = /```json\n([\s\S]*?)```/.exec(read('docs/policy.md')) ?? [];
  const { id, publicKey } = softwarePasskey().credential;
  const text = shown
    .replace('{ "id": "...", "publicKey": "..." }', JSON.stringify({ id, publicKey }))
    .replace('"sha256": "..."', `"sha256": "${tokenSha256('a token')}"`)
    .replaceAll('["..."]', () => JSON.stringify([newKey().publicKey]));
  const policy = parsePolicy(text);
  if ('problems' in policy) throw new Error(policy.problems.join('\n'));
  expect(unguarded(policy.policy)).toEqual([]);
});

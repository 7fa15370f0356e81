import { expect, it } from 'vitest';
import { tokenSha256 } from '../../src/channels/http/callers.ts';
import { unguarded } from '../../src/domain/authority.ts';
import { parsePolicy } from '../../src/people/policy-file.ts';
import { newKey } from '../../src/people/signing/signing.ts';
import { softwarePasskey } from '../support/software-passkey.ts';
import { read } from './architecture/sources.ts';

it('the policy shown in the documentation can be used, and leaves nothing to one person', () => {
  const [, shown = ''] = /```json\n([\s\S]*?)```/.exec(read('docs/security.md')) ?? [];
  const { id, publicKey } = softwarePasskey().credential;
  const text = shown
    .replace('{ "id": "...", "publicKey": "..." }', JSON.stringify({ id, publicKey }))
    .replace('"sha256": "..."', `"sha256": "${tokenSha256('a token')}"`)
    .replaceAll('["..."]', () => JSON.stringify([newKey().publicKey]));
  const policy = parsePolicy(text);
  if ('problems' in policy) throw new Error(policy.problems.join('\n'));
  expect(unguarded(policy.policy)).toEqual([]);
});

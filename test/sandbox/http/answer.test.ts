import { expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_PROFILE } from '../../../src/sandbox/bank/profile.ts';
import { failure } from '../../../src/sandbox/http/answer.ts';

test('an error that is no refusal is answered with 2001 and logged', () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const bug = new Error('a bug');
  const { status, body } = failure(bug, DEFAULT_PROFILE);
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({ code: 2001, msg: 'Internal Server Error' });
  expect(log).toHaveBeenCalledWith(expect.any(String), bug);
});

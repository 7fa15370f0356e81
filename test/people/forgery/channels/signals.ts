import { signedBy } from '../../../support/people.ts';
import type { Attack, ForgedChannel } from '../attack.ts';
import type { Name } from '../cast.ts';
import type { Target } from '../world.ts';

const signal =
  (name: string, payload: (target: Target) => readonly unknown[]): Attack =>
  async ({ product, any }, random) => {
    const target = any(random);
    await product.client.workflow.getHandle(target.workflowId).signal(name, ...(payload(target) as [unknown]));
    return 'unanswered';
  };

const saidBy = (by: unknown): Attack => signal('approve', () => [{ by, note: 'checked' }]);

/** A statement that somebody has really signed, and that nobody has handed over, in the payload of a signal. */
const carried =
  (who: Name): Attack =>
  async ({ product, any, cast }, random) => {
    const { workflowId, about } = any(random);
    const signed = signedBy(cast[who], about);
    await product.client.workflow.getHandle(workflowId).signal('approve', { by: who, signed });
    return 'unanswered';
  };

/** The Temporal signals of a payout: they carry names, and names count for nothing. */
export const SIGNALS: ForgedChannel = {
  name: 'Temporal signals',
  kinds: {
    'carol approves': saidBy('carol'),
    'bob approves again': saidBy('bob'),
    'the maker approves': saidBy('alice'),
    'a stranger approves': saidBy('mallory'),
    'a look-alike of carol approves': saidBy('сarol'),
    'carol under another spelling': saidBy('ＣＡＲＯＬ '),
    'nobody approves': saidBy(''),
    'no text approves': saidBy({ name: 'carol' }),
    'a list approves': saidBy(['bob', 'carol']),
    'no payload': signal('approve', () => []),
    'a payload of null': signal('approve', () => [{ by: null }]),
    'a rejection by a name': signal('reject', () => [{ by: 'carol', remark: 'not ours' }]),
    'a rejection by nobody': signal('reject', () => [{ by: '', remark: '' }]),
    'a signed statement of a stranger': carried('mallory'),
    'an order that is said to be completed': signal('orderChanged', ({ reference }) => [
      { reference, orderId: 'ord-forged', status: 'COMPLETED' },
    ]),
    'an order that is said to have failed': signal('orderChanged', ({ reference }) => [
      { reference, orderId: 'ord-forged', status: 'FAILED' },
    ]),
    'news of another payout': signal('orderChanged', () => [{ reference: 'other', orderId: 'x', status: 'COMPLETED' }]),
    'a signal that there is not': signal('force', () => [{ by: 'carol' }]),
  },
};

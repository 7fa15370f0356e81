import { describe, expect, it } from 'vitest';
import { ByReference, mayBeAltered, mayHide, referenceForm } from '../../src/domain/reference-form.ts';

const SENT = '0f8b6c1e-3d52-5c0b-9a77-2f6e0c1d5b94';

describe('a reference that a bank shows', () => {
  it.each([
    [SENT, 'as-sent'],
    [SENT.toUpperCase(), 'respelled'],
    [` ${SENT} `, 'respelled'],
    [SENT.replaceAll('-', ''), 'respelled'],
    [`{${SENT.toUpperCase()}}`, 'respelled'],
    [SENT.slice(0, 35), 'cut'],
    [SENT.slice(0, 20).toUpperCase(), 'cut'],
    [SENT.slice(0, 16), 'cut'],
    [SENT.slice(0, 15), 'other'],
    [SENT.slice(1), 'other'],
    [`${SENT}-1`, 'other'],
    ['', 'other'],
  ])('as %j is %s', (shown, form) => {
    expect(referenceForm(shown, SENT)).toBe(form);
    expect(mayBeAltered(shown)).toBe(form === 'respelled' || form === 'cut' || shown === `${SENT}-1`);
  });

  it.each([undefined, '', '-', 'N/A', SENT.slice(0, 8), SENT.slice(-12), `PAY-${SENT}`, `urn:uuid:${SENT}`])(
    'as %j may be ours, for all that it says',
    (shown) => {
      expect(mayHide(shown, SENT)).toBe(true);
    },
  );

  it.each(['theirs', '20261125-000012', SENT.replace('0f8b', 'ffff')])('as %j is not ours', (shown) => {
    expect(mayHide(shown, SENT)).toBe(false);
  });

  it('belongs to the one sent in just that form, else to the only one of which it is a form', () => {
    const twin = `${SENT.slice(0, 30)}aaaaaa`;
    const known = new ByReference([SENT, SENT.toUpperCase(), twin].map((sent): [string, string] => [sent, sent]));
    expect(known.find(SENT)).toBe(SENT);
    expect(known.find(SENT.toUpperCase())).toBe(SENT.toUpperCase());
    expect(known.find(twin.toUpperCase())).toBe(twin);
    expect(known.find(SENT.slice(0, 20))).toBeUndefined();
    expect(new ByReference([[SENT, 1]]).find(SENT.slice(0, 20))).toBe(1);
    expect(known.find('another reference')).toBeUndefined();
  });
});

import type { Answer } from '../../http/answer.ts';
import { htmlDocument } from './document.ts';

/** Stands in for the device fingerprint: only that it was loaded is recorded. Any shop may frame it. */
export const fingerprintPage = (): Answer =>
  htmlDocument(200, {
    title: 'Device check',
    main: '<p>The device was checked.</p>',
    policy: [`form-action 'none'`],
  });

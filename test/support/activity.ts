import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

/** An activity runs in it without a worker. By default the SDK would print each that fails, also where that is expected. */
export const activityEnvironment = (info?: ConstructorParameters<typeof MockActivityEnvironment>[0]) =>
  new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR', () => {}) });

import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';

/**
 * Runs an activity in the gateway that holds the card. `never-began`: no gateway took the task in time, so none ever will.
 * `lost`: it was taken, and nobody knows how far it got.
 */
export async function callVault<T>(call: () => Promise<T>): Promise<T | 'never-began' | 'lost'> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const { cause } = error;
    const never = cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
    return never ? 'never-began' : 'lost';
  }
}

import type { OrderStage } from './order-status.ts';

/** Payload of the signal `orderChanged`. It only says where to look; the GET decides. */
export interface OrderNotice {
  reference: string;
  orderId: string;
  /** The status as the bank words it. */
  status: string;
  /** Absent if a person sent the signal. */
  stage?: OrderStage;
}

import type { OrderStage } from './order-status.ts';

/** Payload of the signal `orderChanged`. The GET decides; this only says where to look. */
export interface OrderNotice {
  reference: string;
  orderId: string;
  /** The bank's word. */
  status: string;
  /** Absent in one that a person has sent. */
  stage?: OrderStage;
}

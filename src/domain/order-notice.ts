/** Payload of the signal `orderChanged`. The GET decides; this only says where to look. */
export interface OrderNotice {
  reference: string;
  orderId: string;
  status: string;
}

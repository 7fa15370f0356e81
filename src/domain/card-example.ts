/** A card as pages, backends and `--card-from` pass it. The number is a test number of the sandbox and belongs to nobody. */
export const CARD_EXAMPLE =
  '{"number":"4000 0000 1000 0000","expiry_month":"12","expiry_year":"2031","cvv":"123","holder_name":"Alice Example"}';

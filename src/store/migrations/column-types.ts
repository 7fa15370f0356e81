/** What a migration cannot say the same way in both databases. */
export interface ColumnTypes {
  /** Type of a column that numbers its rows by itself. */
  serial: 'integer' | 'bigserial';
}

/** What the driver is told besides where to connect: how values go to the database and come back, and how it connects. */

/** bigint columns are ids, sizes and sequence numbers: all below 2^53. */
const bigint = { to: 20, from: [20], parse: (text: string) => Number(text), serialize: (value: number) => String(value) }

// The driver would ask each new connection which kinds of lists there are, and bring the process down when that one is lost.
const texts = {
  to: 1009,
  from: [1009],
  parse: (): never => {
    throw new Error('A list of texts is not to be answered; answer rows or JSON.')
  },
  serialize: (values: readonly string[]) => `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`,
}
const bigints = {
  to: 1016,
  from: [1016],
  parse: (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)),
  serialize: (values: readonly number[]) => `{${values.join(',')}}`,
}

const values = { bigint, texts, bigints }

export const options = {
  types: values,
  fetch_types: false,
  onnotice: () => {},
  connect_timeout: 10,
  keep_alive: 10,
}

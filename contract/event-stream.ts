/** Events as text: how an answer of `text/event-stream` is written and read (HTML standard, section 9.2, as far as both ends of ours use it). */

/** One event. `id`: with it a client asks for what came after, where the route keeps events. */
export interface StreamEvent {
  event: string
  id?: number
  data: unknown
}

/** A line that says nothing: the connection is alive. */
export const keepAlive = ':\n\n'

export const eventText = ({ event, id, data }: StreamEvent): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`

/** The events of the lines that come; undefined for each sign of life, so that who reads knows that the other end is there. */
export async function* readEvents(lines: AsyncIterable<string>): AsyncGenerator<StreamEvent | undefined> {
  let fields: Record<string, string> = {}
  for await (const line of lines) {
    const plain = line.endsWith('\r') ? line.slice(0, -1) : line
    if (plain.startsWith(':')) yield undefined
    else if (plain !== '') fields = withField(fields, plain)
    else if (fields.data !== undefined) {
      yield { event: fields.event ?? 'message', ...idOf(fields), data: JSON.parse(fields.data) }
      fields = {}
    }
  }
}

function withField(fields: Record<string, string>, line: string): Record<string, string> {
  const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
  const before = name === 'data' && fields.data !== undefined ? `${fields.data}\n` : ''
  return { ...fields, [name]: `${before}${value}` }
}

const idOf = ({ id }: Record<string, string>): { id?: number } => (/^\d{1,15}$/.test(id ?? '') ? { id: Number(id) } : {})
